/** What can be drawn. */
export abstract class Shape {
  static #count = 0;
  protected abstract readonly sides: number;

  constructor(public readonly name: string) {
    Shape.#count++;
  }

  abstract area(): number;

  describe(): string {
    return `${this.name} with ${this.sides} sides and an area of ${this.area().toFixed(1)}`;
  }

  static get count(): number {
    return Shape.#count;
  }
}

export class Square extends Shape {
  protected override readonly sides = 4;

  constructor(private readonly side: number) {
    super("square");
  }

  override area(): number {
    return this.side ** 2;
  }
}

export class Circle extends Shape {
  protected override readonly sides = 0;

  constructor(private readonly radius: number) {
    super("circle");
  }

  override area(): number {
    return Shapes.tau * this.radius ** 2 / 2;
  }

  override describe(): string {
    return `${super.describe()} 🟢`;
  }
}

export namespace Shapes {
  export const tau = 2 * Math.PI;
  export type Any = Square | Circle;
  export const make = {
    square: (side: number) => new Square(side),
    circle: (radius: number) => new Circle(radius),
  } satisfies Record<string, (size: number) => Shape>;
}
