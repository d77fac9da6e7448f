import { freeShippingFrom, subtotal, type Cart } from "@shop/cart/cart";
import { needsParcel } from "@shop/catalog/product";
import { money, zero, type Money } from "@shop/money";

export type Zone = "domestic" | "europe" | "world";

interface Tariff {
  readonly letter: Money<"EUR">;
  readonly parcel: Money<"EUR">;
}

const tariffs = {
  domestic: { letter: money("EUR", 1_60), parcel: money("EUR", 4_90) },
  europe: { letter: money("EUR", 2_20), parcel: money("EUR", 13_50) },
  world: { letter: money("EUR", 3_80), parcel: money("EUR", 29_00) },
} as const satisfies Record<Zone, Tariff>;

/** What it costs to send the cart to a zone. */
export function shipping(cart: Cart, zone: Zone): Money<"EUR"> {
  if (cart.lines.length === 0 || subtotal(cart).cents >= freeShippingFrom.cents) {
    return zero("EUR");
  }
  const { letter, parcel } = tariffs[zone];
  return cart.lines.some((line) => needsParcel(line.product)) ? parcel : letter;
}
