import { shared } from "./lib";
/** @typedef {{ a: number }} Defined */
/** @template T @param {T} p */
function documented(p) { const local = p; ‸return local }
const fromShared = shared + ‸1;
exports.x = documented;
‸
