import { err, ok, type Result } from "@shop/result";

import type { Product, ProductOf, Sku } from "./product";

export interface NotFound {
  readonly reason: "not-found";
  readonly sku: Sku;
}

/** An immutable collection of products, looked up by their SKU. */
export class Catalog<P extends Product = Product> implements Iterable<P> {
  readonly #bySku: ReadonlyMap<Sku, P>;

  constructor(products: Iterable<P>) {
    this.#bySku = new Map(Array.from(products, (product) => [product.sku, product]));
  }

  get size(): number {
    return this.#bySku.size;
  }

  find(sku: Sku): Result<P, NotFound> {
    const product = this.#bySku.get(sku);
    return product === undefined ? err({ reason: "not-found", sku }) : ok(product);
  }

  /** Narrows the catalog to one kind of product. */
  ofKind<K extends P["kind"]>(kind: K): Catalog<ProductOf<K>> {
    const matches = (product: Product): product is ProductOf<K> => product.kind === kind;
    return new Catalog(Array.from<Product>(this).filter(matches));
  }

  [Symbol.iterator](): Iterator<P> {
    return this.#bySku.values();
  }
}
