/**
 * A place on the map.
 * @typedef {object} Point
 * @property {number} lat degrees north of the equator
 * @property {number} lon degrees east of Greenwich
 * @property {string} [name]
 */

/** @typedef {"n" | "e" | "s" | "w"} Direction */

/**
 * Makes a point.
 * @param {number} lat
 * @param {number} lon
 * @param {string} [name]
 * @returns {Point}
 */
export function point(lat, lon, name) {
  return name === undefined ? { lat, lon } : { lat, lon, name };
}

/** @type {Readonly<Record<Direction, Point>>} */
export const directions = {
  n: point(1, 0),
  e: point(0, 1),
  s: point(-1, 0),
  w: point(0, -1),
};

/**
 * @param {unknown} value
 * @returns {value is Point}
 */
export const isPoint = (value) =>
  typeof value === "object" && value !== null && "lat" in value && "lon" in value;
