export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function assertString(value: unknown): asserts value is string {
  if (typeof value !== "string") {
    throw new TypeError(`not a string: ${String(value)}`);
  }
}

/** Reads a title out of anything. */
export function titleOf(value: Json | undefined): string {
  if (value === undefined || value === null) {
    return "";
  }
  switch (typeof value) {
    case "string":
      return value.trim();
    case "number":
      return value.toFixed(2);
    case "boolean":
      return value ? "yes" : "no";
  }
  if (Array.isArray(value)) {
    return value.map(titleOf).join(", ");
  }
  const title = value["title"];
  assertString(title);
  return title.toUpperCase();
}

export function depth(value: Json, limit = 10): number {
  let deepest = 0;
  if (limit === 0 || !isObject(value)) {
    return deepest;
  }
  for (const key in value) {
    const inner = value[key];
    if (inner !== undefined) {
      deepest = Math.max(deepest, depth(inner as Json, limit - 1));
    }
  }
  return deepest + 1;
}
