import { plugin } from "./registry.ts";

declare module "./registry.ts" {
  interface Registry {
    clock: { now(): Date };
  }
}

export const clock = plugin("clock", { now: () => new Date() });
