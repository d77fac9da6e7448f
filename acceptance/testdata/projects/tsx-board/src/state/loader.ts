import type { Card } from "@board/model/card.ts";

type Source = (page: number) => Promise<readonly Card[]>;

export class LoadError extends Error {
  override readonly name = "LoadError";

  constructor(
    message: string,
    readonly page: number,
  ) {
    super(message);
  }
}

/** Every card, page by page. */
export async function* pages(source: Source): AsyncGenerator<Card, void, undefined> {
  for (let page = 0; ; page++) {
    const cards = await source(page);
    if (cards.length === 0) {
      return;
    }
    yield* cards;
  }
}

export async function all(source: Source, limit = 100): Promise<Card[]> {
  const found: Card[] = [];
  for await (const card of pages(source)) {
    found.push(card);
    if (found.length >= limit) {
      break;
    }
  }
  return found;
}

export async function first(sources: readonly Source[]): Promise<Card | undefined> {
  try {
    const lists = await Promise.all(sources.map((source) => all(source, 1)));
    return lists[0]?.[0];
  } catch (error) {
    if (error instanceof LoadError) {
      return undefined;
    }
    throw error;
  }
}
