import { lineTotal, type Cart, type Line } from "@shop/cart/cart";
import type { Product } from "@shop/catalog/product";
import type { Quote } from "@shop/pricing/quote";
import { assertNever } from "@shop/result";

import { PriceTag } from "./price-tag";

function details(product: Product): string {
  switch (product.kind) {
    case "book":
      return `${product.authors.join(", ")}, ${product.pages} pages`;
    case "gadget":
      return product.battery === undefined ? "no battery" : `${product.battery} battery`;
    case "voucher":
      return `valid until ${product.validUntil.getFullYear()}`;
    default:
      return assertNever(product);
  }
}

function LineView({ line }: { readonly line: Line }) {
  return (
    <li>
      {line.quantity} × {line.product.title} ({details(line.product)}){" "}
      <PriceTag amount={lineTotal(line)} />
    </li>
  );
}

export interface CartViewProps {
  readonly cart: Cart;
  readonly quote: Quote;
  readonly heading?: string;
}

/** The cart as a page shows it. */
export function CartView({ cart, quote, heading = "Your cart" }: CartViewProps) {
  const empty = cart.lines.length === 0;
  return (
    <article class="cart">
      <h1>{heading}</h1>
      {empty ? <p>Nothing here yet.</p> : <ul>{cart.lines.map((line) => <LineView line={line} />)}</ul>}
      <PriceTag amount={quote.shipping} label="Shipping" />
      <PriceTag amount={quote.total} label="Total" emphasis="strong" />
      <button type="submit" disabled={empty}>
        Check out
      </button>
    </article>
  );
}
