import { degrees, type Degrees } from "@atlas/units";
import type { Point } from "./point.js";

/** A box on the map. */
export interface Bounds {
  readonly south: Degrees;
  readonly west: Degrees;
  readonly north: Degrees;
  readonly east: Degrees;
}

export function boundsOf(points: Iterable<Point>): Bounds | undefined {
  let south = Infinity, west = Infinity, north = -Infinity, east = -Infinity;
  for (const { lat, lon } of points) {
    south = Math.min(south, lat);
    north = Math.max(north, lat);
    west = Math.min(west, lon);
    east = Math.max(east, lon);
  }
  return south > north ? undefined : { south: degrees(south), west: degrees(west), north: degrees(north), east: degrees(east) };
}

export function contains(bounds: Bounds, point: Point): boolean {
  return bounds.south <= point.lat && point.lat <= bounds.north && bounds.west <= point.lon && point.lon <= bounds.east;
}
