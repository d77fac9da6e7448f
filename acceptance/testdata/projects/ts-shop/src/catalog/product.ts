import type { Money } from "@shop/money";

/** A stock keeping unit, such as `book-0042`. */
export type Sku = `${Product["kind"]}-${number}`;

interface Sellable {
  readonly title: string;
  readonly price: Money<"EUR">;
}

export interface Book extends Sellable {
  readonly kind: "book";
  readonly sku: `book-${number}`;
  readonly authors: readonly string[];
  readonly pages: number;
}

export interface Gadget extends Sellable {
  readonly kind: "gadget";
  readonly sku: `gadget-${number}`;
  readonly weightGrams: number;
  readonly battery?: "aa" | "coin" | "lithium";
}

export interface Voucher extends Sellable {
  readonly kind: "voucher";
  readonly sku: `voucher-${number}`;
  readonly validUntil: Date;
}

/** Everything the shop sells, told apart by `kind`. */
export type Product = Book | Gadget | Voucher;

/** The product type of a kind. */
export type ProductOf<K extends Product["kind"]> = Extract<Product, { kind: K }>;

/** Vouchers travel by mail, the rest by parcel. */
export function needsParcel(product: Product): product is Book | Gadget {
  return product.kind !== "voucher";
}
