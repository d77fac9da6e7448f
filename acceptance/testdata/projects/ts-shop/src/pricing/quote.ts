import { subtotal, type Cart } from "@shop/cart/cart";
import { sum, type Money } from "@shop/money";

import { best, type Discount } from "./discount";
import { shipping, type Zone } from "./shipping";

/** A price with the parts it is made of. */
export interface Quote {
  readonly goods: Money<"EUR">;
  readonly discount: Money<"EUR">;
  readonly shipping: Money<"EUR">;
  readonly total: Money<"EUR">;
}

export interface QuoteOptions {
  readonly zone: Zone;
  readonly discounts?: readonly Discount[];
}

/** Prices a cart. */
export function quote(cart: Cart, { zone, discounts = [] }: QuoteOptions): Quote {
  const parts = {
    goods: subtotal(cart),
    discount: best(cart, discounts),
    shipping: shipping(cart, zone),
  };
  return { ...parts, total: sum("EUR", Object.values(parts)) };
}
