#!/usr/bin/env node
‸import standard, { shared, type Shape, Base as Parent, sealed, Inner } from "./lib";
import * as all from "./lib";
import type { Alias } from "./lib";
import nothing from "./missing";
import Deep = Inner.Deep;
export { shared as again } from "./lib";

/** doc { ‸ */
export class Box<T> extends Parent<{ x: T }> {
  private priv = 1; ‸
  handler = (event: T) => { const inHandler = event; ‸return inHandler };
  expression = (event: T) => ‸event;
  plain = this.priv + ‸1;
  get acc(): number { const inGet = 1; ‸return inGet }
  static { const inStatic = 1; ‸}
  static make<S>(seed: S): Box<S> { ‸return null! }
  constructor(public first: T, private second = ‸first) { super(); ‸}
  method<M extends keyof T>(p: M, { q, ...rest }: { q: 1; r: 2 } = ‸null!): { a: M } {
    const loc = p
    if (loc > 2) { let deep = 1; ‸
    } else {
      ‸
    }
    return { a: ‸loc };
  }
  @sealed(‸) decorated(): void {}
  ‸
}

const re = /[}{`"]/g, half = 4 / 2 / 1;
const tpl = `a ${ [1].map(item => `x${ item ‸}`) } } {`;
const object = { key: ‸1, method(z: number) { ‸return z }, arrow: (w: number) => ({ w, v: ‸w }), get g() { ‸return 1 } };

export async function outer<U extends { k: 1 }, V = ‸U>(arg: U, other: typeof arg = ‸arg, ...more: ‸V[]): Promise<{ r: ‸U } | undefined> {
  const inner = { k: 1, m(z: number): string { return "" } };
  if (!other) return
  ‸
  switch (inner.k) {
    case ‸1: { const inCase = 1; ‸break }
    case 2:
      let inSecond = 2; ‸
    default:
      const inDefault = 2; ‸
  }
  for (const [index, entry] of [1].entries()) ([1, 2]).map(el => el.toFixed(‸el));
  for (let i = 0, n = ‸i; i < ‸n; i++) ‸n;
  for (const key in inner) { ‸void key }
  for (;;) { const inLoop = 1; ‸break }
  while (‸other) { let inWhile = 1; ‸break }
  ([1, 2]).map((el2, ix) => ({ el2, ix, sum: el2 + ix ‸}));
  try { const inTry = 1; ‸} catch ({ message }) { const inCatch = 1; ‸} finally { ‸}
  const nested = function named(this: Box<U>, x: number) { ‸return x };
  const chain = (a1: number) => (b1: number) => { ‸return a1 + b1 };
  const curried = (a2: number) => (b2: number) => ‸a2 + b2;
  const klass = class Named<K> { field = ‸1; static own = ‸2; m() { ‸} };
  return undefined;
}

type Mapped<P> = { [K in keyof P]: ‸P[K] };
type Fn<F> = (cb: (x: F) => ‸void) => F;
type Infer<I> = I extends Promise<infer R> ? ‸R : ‸I;
type Constrained<A, B extends ‸A> = ‸B;
interface Face<Q> extends Shape { a: Q; m<W>(w: ‸W): { b: ‸Q } }
enum Level { Low, High = ‸Low, Top = High + ‸1 }
namespace Space { export const inSpace = 1; const hidden = 2; ‸
  export namespace Nested { export type T1 = ‸1; }
}
declare module "./lib" { interface Shape { extra: ‸1 } }
declare global { interface Window { mine: ‸1 } var planted: number; }
abstract class Abstract<Z> { abstract run(z: Z): ‸Z; declare field: ‸Z; [index: string]: ‸unknown }
function overloaded(a: string): ‸void;
function overloaded(a: number): void;
function overloaded(a: unknown) { ‸}
function* generator(limit: number) { yield ‸limit }
label: for (const of of [1]) { ‸continue label }
if (half) { ‸} else if (shared) { ‸}
const { a: renamed, b = ‸1, ...others } = { a: 1, b: 2 };
const conditional = half ? ‸half : re;
const generic = <G>(g: G) => { ‸return g };
export const assertion = { x: 1 } satisfies { x: ‸number };
export default ‸generic;
‸
