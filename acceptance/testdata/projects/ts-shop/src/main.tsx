import { emptyCart, put } from "@shop/cart/cart";
import { samples } from "@shop/catalog/samples";
import { quote } from "@shop/pricing/quote";
import { CartView } from "@shop/view/cart-view";

/** Renders a cart with two copies of the first book. */
export function page(): string {
  const cart = put(emptyCart, samples, "book-1", 2);
  if (!cart.ok) {
    return cart.error.reason === "not-found" ? `no ${cart.error.sku}` : "how many?";
  }
  const price = quote(cart.value, {
    zone: "domestic",
    discounts: [{ type: "percent", percent: 10 }],
  });
  return (<CartView cart={cart.value} quote={price} />).html;
}
