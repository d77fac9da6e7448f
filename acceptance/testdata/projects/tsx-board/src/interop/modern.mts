import { join, type Joiner } from "./join.mjs";

export const joiner: Joiner = join;

export const here = join("modern", "mts");
