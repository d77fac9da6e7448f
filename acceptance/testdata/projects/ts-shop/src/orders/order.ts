import type { Quote } from "@shop/pricing/quote";
import { assertNever } from "@shop/result";

interface Placed {
  readonly status: "placed";
  readonly quote: Quote;
}

interface Paid {
  readonly status: "paid";
  readonly quote: Quote;
  readonly paidAt: Date;
}

interface Shipped {
  readonly status: "shipped";
  readonly quote: Quote;
  readonly paidAt: Date;
  readonly tracking: string;
}

/** An order moves one way: placed, paid, shipped. */
export type Order = Placed | Paid | Shipped;

export type OrderEvent =
  | { readonly type: "pay"; readonly at: Date }
  | { readonly type: "ship"; readonly tracking: string };

/** Applies an event; one that does not fit the order's status leaves it as it is. */
export function advance(order: Order, event: OrderEvent): Order {
  switch (event.type) {
    case "pay":
      return order.status === "placed" ? { ...order, status: "paid", paidAt: event.at } : order;
    case "ship":
      return order.status === "paid"
        ? { ...order, status: "shipped", tracking: event.tracking }
        : order;
    default:
      return assertNever(event);
  }
}

/** A sentence for the customer. */
export function describe(order: Order): string {
  switch (order.status) {
    case "placed":
      return "waiting for your payment";
    case "paid":
      return `paid on ${order.paidAt.toISOString().slice(0, 10)}`;
    case "shipped":
      return `on its way: ${order.tracking}`;
  }
}
