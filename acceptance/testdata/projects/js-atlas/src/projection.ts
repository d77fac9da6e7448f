import type { Point } from "./point.js";

export type Vector = readonly [x: number, y: number];

export interface Projection<Options = void> {
  readonly name: string;
  project(point: Point, options: Options): Vector;
  invert?(vector: Vector): Point;
}

export const mercator: Projection = {
  name: "mercator",
  project: ({ lat, lon }) => [lon, Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360))],
};

export const scaled: Projection<{ scale: number }> = {
  name: "scaled",
  project({ lat, lon }, { scale }) {
    return [lon * scale, lat * scale];
  },
};

export function project<O>(projection: Projection<O>, points: readonly Point[], options: O): Vector[] {
  return points.map((point) => projection.project(point, options));
}

export const origin = project(mercator, [{ lat: 0, lon: 0 }], undefined)[0];
