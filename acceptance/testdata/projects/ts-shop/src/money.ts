/** The currencies the shop sells in. */
export type Currency = "EUR" | "GBP" | "USD";

/** An amount in the smallest unit of its currency. Amounts of different currencies do not mix. */
export interface Money<C extends Currency = Currency> {
  readonly currency: C;
  readonly cents: number;
}

const symbols: Readonly<Record<Currency, string>> = { EUR: "€", GBP: "£", USD: "$" };

/** Makes an amount from whole cents. */
export function money<C extends Currency>(currency: C, cents: number): Money<C> {
  if (!Number.isSafeInteger(cents)) {
    throw new RangeError(`not a whole number of cents: ${cents}`);
  }
  return { currency, cents };
}

/** The neutral element of {@link add}. */
export function zero<C extends Currency>(currency: C): Money<C> {
  return money(currency, 0);
}

/** Adds two amounts of the same currency. */
export function add<C extends Currency>(a: Money<C>, b: Money<NoInfer<C>>): Money<C> {
  return money(a.currency, a.cents + b.cents);
}

/** Multiplies an amount, rounding half away from zero. */
export function times<C extends Currency>(amount: Money<C>, factor: number): Money<C> {
  const cents = amount.cents * factor;
  return money(amount.currency, Math.sign(cents) * Math.round(Math.abs(cents)));
}

/** Sums any number of amounts; the currency is needed for the empty sum. */
export function sum<C extends Currency>(currency: C, amounts: Iterable<Money<NoInfer<C>>>): Money<C> {
  let total = zero(currency);
  for (const amount of amounts) {
    total = add(total, amount);
  }
  return total;
}

/** Renders an amount the way a price tag shows it: `€12.50`. */
export function format({ currency, cents }: Money): string {
  const sign = cents < 0 ? "-" : "";
  return `${sign}${symbols[currency]}${(Math.abs(cents) / 100).toFixed(2)}`;
}
