#!/usr/bin/env node
import format from "./format.js";
import { point } from "./point.js";

/** @satisfies {Record<string, (...args: number[]) => string>} */
const commands = {
  place: (lat = 0, lon = 0) => JSON.stringify(point(lat, lon)),
  number: (value = 0) => format.format(value, 8),
};

/**
 * @param {string} name
 * @param {...string} args
 */
export default async function run(name, ...args) {
  await null;
  const command = /** @type {Record<string, ((...args: number[]) => string) | undefined>} */ (commands)[name];
  return command?.(...args.map(Number)) ?? `unknown: ${name} 🗺️`;
}
