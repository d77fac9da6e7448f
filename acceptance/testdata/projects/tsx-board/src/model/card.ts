import type { Column, Priority } from "./priority.ts";

declare const brand: unique symbol;

/** A string that went through a check. */
export type Branded<B extends string> = string & { readonly [brand]: B };

export type CardId = Branded<"card">;

export interface Card {
  readonly id: CardId;
  title: string;
  column: Column;
  priority: Priority;
  assignee?: string;
  readonly tags: readonly Tag[];
}

export type Tag = `#${Lowercase<string>}`;

export type Patch<T> = { -readonly [K in keyof T]?: T[K] extends readonly (infer U)[] ? U[] : T[K] };

export function isCardId(text: string): text is CardId {
  return text.startsWith("card-");
}
