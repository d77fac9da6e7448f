import { metres, plus } from "@atlas/units";
import { distance } from "./distance.js";

/** @typedef {import("./point.js").Point} Point */

/**
 * Points in an order.
 * @template {Point} [P=Point]
 */
export class Route {
  /** @type {P[]} */
  #stops = [];

  /** @readonly */
  created = 0;

  /** @param {...P} stops */
  constructor(...stops) {
    this.#stops = stops;
  }

  get length() {
    return this.#stops.length;
  }

  /**
   * @param {P} stop
   * @returns {this}
   */
  add(stop) {
    this.#stops.push(stop);
    return this;
  }

  /** The sum of the distances. */
  total() {
    let sum = metres(0);
    for (let i = 1; i < this.#stops.length; i++) {
      const from = this.#stops[i - 1];
      const to = this.#stops[i];
      if (from && to) {
        sum = plus(sum, distance(from, to));
      }
    }
    return sum;
  }

  /** @protected */
  *names() {
    for (const { name = "?" } of this.#stops) {
      yield name;
    }
  }
}

/** @extends {Route<Point>} */
export class Loop extends Route {
  /** @override */
  total() {
    return super.total();
  }

  describe() {
    return [...this.names()].join(" → ");
  }
}
