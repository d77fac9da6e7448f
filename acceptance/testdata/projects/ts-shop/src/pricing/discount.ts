import { subtotal, type Cart } from "@shop/cart/cart";
import { money, sum, times, zero, type Money } from "@shop/money";
import { assertNever } from "@shop/result";

/** The ways a price goes down, told apart by `type`. */
export type Discount =
  | { readonly type: "percent"; readonly percent: number }
  | { readonly type: "amount"; readonly amount: Money<"EUR"> }
  | { readonly type: "bundle"; readonly buy: number; readonly free: number };

/** What a discount takes off the cart, as a negative amount. */
export function reduction(cart: Cart, discount: Discount): Money<"EUR"> {
  switch (discount.type) {
    case "percent":
      return times(subtotal(cart), -discount.percent / 100);
    case "amount":
      return times(discount.amount, -1);
    case "bundle": {
      const size = discount.buy + discount.free;
      const given = cart.lines.map(({ product, quantity }) =>
        times(product.price, -Math.floor(quantity / size) * discount.free),
      );
      return sum("EUR", given);
    }
    default:
      return assertNever(discount);
  }
}

/** The best discount for the customer; nothing when there is none. */
export function best(cart: Cart, discounts: readonly Discount[]): Money<"EUR"> {
  const reductions = discounts.map((discount) => reduction(cart, discount).cents);
  return reductions.length === 0 ? zero("EUR") : money("EUR", Math.min(...reductions));
}
