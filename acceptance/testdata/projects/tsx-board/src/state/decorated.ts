type Method<This, Args extends unknown[], R> = (this: This, ...args: Args) => R;

export const calls: string[] = [];

/** Notes every call of a method. */
export function logged<This, Args extends unknown[], R>(
  target: Method<This, Args, R>,
  context: ClassMethodDecoratorContext<This, Method<This, Args, R>>,
): Method<This, Args, R> {
  return function (this: This, ...args: Args): R {
    calls.push(String(context.name));
    return target.call(this, ...args);
  };
}

export function limited(max: number) {
  return function <This>(_target: undefined, _context: ClassFieldDecoratorContext<This, number>) {
    return (value: number): number => Math.min(value, max);
  };
}

function sealed<T extends abstract new (...args: never[]) => object>(value: T, _context: ClassDecoratorContext<T>): void {
  Object.freeze(value.prototype);
}

@sealed
export class Counter {
  @limited(100)
  count = 0;

  @logged
  add(by: number, label?: string): this {
    this.count += by;
    calls.push(label ?? "unnamed");
    return this;
  }
}
