import defaults from "./settings.json";

export type Settings = typeof defaults;

export type Path<T> = T extends readonly unknown[]
  ? `${number}`
  : T extends object
    ? { [K in keyof T & string]: K | `${K}.${Path<T[K]>}` }[keyof T & string]
    : never;

/** The settings with some of them replaced. */
export function settings(over: { [K in keyof Settings]?: Settings[K] } = {}): Settings {
  return { ...defaults, ...over };
}

export const doing: number = settings({ name: "mine" }).limits.doing;
export const path: Path<Settings> = "limits.doing";
