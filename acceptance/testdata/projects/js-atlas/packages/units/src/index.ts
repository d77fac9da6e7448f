declare const unit: unique symbol;

/** A number that knows what it counts. */
export type Quantity<U extends string> = number & { readonly [unit]: U };

export type Metres = Quantity<"m">;
export type Degrees = Quantity<"°">;

export const metres = (n: number): Metres => n as Metres;
export const degrees = (n: number): Degrees => n as Degrees;

export function plus<U extends string>(a: Quantity<U>, b: Quantity<U>): Quantity<U> {
  return (a + b) as Quantity<U>;
}

export { hours, type Duration } from "./time";
