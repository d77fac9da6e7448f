/** Keeps what was computed for as long as it is used. */
export class Cache<K, V extends {}> {
  private readonly entries = new Map<K, { value: V; used: number }>();
  protected clock = 0;

  constructor(private readonly capacity: number) {}

  get(key: K, make: (key: K) => V): V {
    const found = this.entries.get(key);
    const entry = found ?? { value: make(key), used: 0 };
    entry.used = ++this.clock;
    this.entries.set(key, entry);
    this.shrink();
    return entry.value;
  }

  private shrink(): void {
    if (this.entries.size <= this.capacity) {
      return;
    }
    const [oldest] = [...this.entries].sort(([, a], [, b]) => a.used - b.used);
    if (oldest) {
      this.entries.delete(oldest[0]);
    }
  }
}

export const memo = <A extends string | number, R extends {}>(f: (argument: A) => R) => {
  const cache = new Cache<A, R>(100);
  return (argument: A): R => cache.get(argument, f);
};
