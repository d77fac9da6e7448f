import type { Catalog, NotFound } from "@shop/catalog/catalog";
import type { Product, Sku } from "@shop/catalog/product";
import { money, sum, times, type Money } from "@shop/money";
import { err, map, type Result } from "@shop/result";

/** A product and how many of it. */
export interface Line<P extends Product = Product> {
  readonly product: P;
  readonly quantity: number;
}

export interface BadQuantity {
  readonly reason: "bad-quantity";
  readonly quantity: number;
}

export type CartError = NotFound | BadQuantity;

/** A cart is a value: every change makes a new one. */
export interface Cart {
  readonly lines: readonly Line[];
}

export const emptyCart: Cart = { lines: [] };

/** Puts a product of the catalog into the cart, joining it with a line of the same product. */
export function put(cart: Cart, catalog: Catalog, sku: Sku, quantity = 1): Result<Cart, CartError> {
  if (!Number.isInteger(quantity) || quantity < 1) {
    return err({ reason: "bad-quantity", quantity });
  }
  return map(catalog.find(sku), (product) => {
    const before = cart.lines.find((line) => line.product.sku === sku)?.quantity ?? 0;
    const others = cart.lines.filter((line) => line.product.sku !== sku);
    return { lines: [...others, { product, quantity: before + quantity }] };
  });
}

export function lineTotal(line: Line): Money<"EUR"> {
  return times(line.product.price, line.quantity);
}

/** The price of the goods, before discounts and shipping. */
export function subtotal(cart: Cart): Money<"EUR"> {
  return sum("EUR", cart.lines.map(lineTotal));
}

/** Goods worth this much are shipped for free. */
export const freeShippingFrom = money("EUR", 75_00);
