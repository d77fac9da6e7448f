// @ts-check
import { metres } from "@atlas/units";
import { isPoint } from "./point.js";

/** @typedef {import("./point.js").Point} Point */
/** @import-free JSDoc tags are ignored */

const radius = 6_371_000;

/** @param {number} degrees */
const radians = (degrees) => (degrees * Math.PI) / 180;

/**
 * The distance between two points, along the ground.
 * @param {Point} from
 * @param {Point} to
 */
export function distance(from, to) {
  const a = Math.sin(radians(to.lat - from.lat) / 2) ** 2;
  const b = Math.sin(radians(to.lon - from.lon) / 2) ** 2;
  return metres(2 * radius * Math.asin(Math.sqrt(a + Math.cos(radians(from.lat)) * Math.cos(radians(to.lat)) * b)));
}

/**
 * The point nearest to another one.
 * @template {Point} P
 * @param {P} from
 * @param {readonly P[]} points
 * @returns {P | undefined}
 */
export function nearest(from, points) {
  /** @type {P | undefined} */
  let best;
  for (const candidate of points) {
    if (best === undefined || distance(from, candidate) < distance(from, best)) {
      best = candidate;
    }
  }
  return isPoint(best) ? best : undefined;
}
