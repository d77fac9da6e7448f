const { pad } = require("./pad.js");

/** @enum {number} */
const Digits = { few: 1, many: 6 };

/**
 * @callback Formatter
 * @param {number} value
 * @param {keyof typeof Digits} [digits]
 * @returns {string}
 */

/** @type {Formatter} */
const fixed = (value, digits = "few") => value.toFixed(Digits[digits]);

/**
 * @overload
 * @param {string} value
 * @returns {string}
 */
/**
 * @overload
 * @param {number} value
 * @param {number} width
 * @returns {string}
 */
/**
 * @param {string | number} value
 * @param {number} [width]
 */
function format(value, width = 0) {
  return pad(typeof value === "number" ? fixed(value) : value, width);
}

module.exports = { Digits, fixed, format };
