import type { Card, CardId, Patch } from "./card.ts";

export interface Events {
  added: Card;
  removed: { readonly id: CardId };
  changed: { readonly id: CardId; readonly patch: Patch<Card> };
}

type Listener<T> = (event: T) => void;

/** Tells listeners what happened. */
export class Emitter<E extends object> {
  readonly #listeners: { [K in keyof E]?: Listener<E[K]>[] } = {};

  on<K extends keyof E>(name: K, listener: Listener<E[K]>): () => void;
  on<K extends keyof E>(names: readonly K[], listener: Listener<E[K]>): () => void;
  on<K extends keyof E>(names: K | readonly K[], listener: Listener<E[K]>): () => void {
    const list = (Array.isArray(names) ? names : [names]) as readonly K[];
    for (const name of list) {
      (this.#listeners[name] ??= []).push(listener);
    }
    return () => {
      for (const name of list) {
        this.#listeners[name] = this.#listeners[name]?.filter((other) => other !== listener) ?? [];
      }
    };
  }

  emit<K extends keyof E>(name: K, event: E[K]): void {
    this.#listeners[name]?.forEach((listener) => listener(event));
  }
}
