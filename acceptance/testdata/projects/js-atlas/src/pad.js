/**
 * @param {string} text
 * @param {number} width
 */
function pad(text, width, fill = " ") {
  return text.padStart(width, fill);
}

module.exports = { pad };
