import { money } from "@shop/money";

import { Catalog } from "./catalog";
import type { Product } from "./product";

/** What the shop opens with. */
export const samples = new Catalog<Product>([
  {
    kind: "book",
    sku: "book-1",
    title: "A Field Guide to Types",
    price: money("EUR", 34_00),
    authors: ["M. Inference", "B. Bottom"],
    pages: 312,
  },
  {
    kind: "gadget",
    sku: "gadget-7",
    title: "Desk Lamp “Lumen” 💡",
    price: money("EUR", 59_90),
    weightGrams: 1400,
    battery: "lithium",
  },
  {
    kind: "voucher",
    sku: "voucher-3",
    title: "Gift Voucher",
    price: money("EUR", 25_00),
    validUntil: new Date("2031-12-31"),
  },
]);
