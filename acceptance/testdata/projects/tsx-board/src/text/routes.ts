type Split<S extends string> = S extends `${infer Head}/${infer Tail}` ? [Head, ...Split<Tail>] : [S];

type ParamOf<Part extends string> = Part extends `:${infer Name}` ? Name : never;

export type Params<Path extends string> = { [Name in ParamOf<Split<Path>[number]>]: string };

type Style = "width" | "height";
export type Css = { [S in Style as `--${S}`]: `${number}px` | `${number}%` };

export const css: Css = { "--width": "100%", "--height": "20px" };

/** Fills in the parameters of a path. */
export function fill<const Path extends string>(path: Path, params: Params<Path>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => (params as Record<string, string>)[name] ?? "");
}

export function tuple<const T extends readonly unknown[]>(...items: T): T {
  return items;
}

export const card = fill("/boards/:board/cards/:card", { board: "b1", card: "c7" });
export const home = fill("/", {});
export const pair = tuple("a", 1);
export const letter: "a" = pair[0];
