/* 😀 Everything in here stands behind characters of two code units. 👩‍👩‍👧‍👦 */
export const faces = { "😀": "grin", "😭": "cry", "👍🏽": "thumb" } as const;

export type Face = keyof typeof faces;

export const grin = faces["😀"]; /* 😀😀 */ export const cry = faces["😭"];

export function name(face: Face): (typeof faces)[Face] { /* 🎉 */ return faces[face]; }

export const größe = `${name("👍🏽")} 👍🏽 ${grin.length + cry.length}`;

export const 字 = "漢字", length: number = 字.length;
