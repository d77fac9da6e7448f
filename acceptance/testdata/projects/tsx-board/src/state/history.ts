/** Steps that can be undone. */
export class History<S> {
  readonly #past: S[] = [];
  #now: S;

  constructor(start: S) {
    this.#now = start;
  }

  get now(): S {
    return this.#now;
  }

  set now(next: S) {
    this.#past.push(this.#now);
    this.#now = next;
  }

  undo(): boolean {
    const last = this.#past.pop();
    if (last === undefined) {
      return false;
    }
    this.#now = last;
    return true;
  }

  *[Symbol.iterator](): Generator<S, number, void> {
    let seen = 0;
    for (const state of this.#past) {
      yield state;
      seen++;
    }
    yield this.#now;
    return seen + 1;
  }
}

export function* countdown(from: number): Generator<number, "done", boolean | undefined> {
  outer: for (let n = from; n > 0; n--) {
    const stop = yield n;
    if (stop) {
      break outer;
    }
  }
  return "done";
}

export const letters = Array.from(countdown(3), (n) => String.fromCharCode(96 + n));
