import { type Point } from "./point.js";

export interface Feature<G extends Geometry = Geometry> {
  type: "Feature";
  geometry: G;
  properties: Record<string, unknown>;
}

export type Geometry =
  | { type: "Point"; coordinates: [number, number] }
  | { type: "LineString"; coordinates: [number, number][] };

/** A point, as others understand it. */
export function feature({ lat, lon, name }: Point): Feature<Extract<Geometry, { type: "Point" }>> {
  return { type: "Feature", geometry: { type: "Point", coordinates: [lon, lat] }, properties: { name } };
}

export function points(features: readonly Feature[]): Point[] {
  return features.flatMap(({ geometry }) => {
    switch (geometry.type) {
      case "Point":
        return [toPoint(geometry.coordinates)];
      case "LineString":
        return geometry.coordinates.map(toPoint);
    }
  });
}

const toPoint = ([lon, lat]: [number, number]): Point => ({ lat, lon });
