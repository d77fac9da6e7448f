import { Fragment, h, type Child } from "../dom/h.ts";

interface ListProps<T> {
  items: readonly T[];
  keyOf: (item: T) => string;
  render: (item: T, index: number) => Child;
  empty?: Child;
}

/** A list of anything. */
export function List<T,>({ items, keyOf, render, empty = "nothing" }: ListProps<T>) {
  if (items.length === 0) {
    return <>{empty}</>;
  }
  return (
    <ul>
      {items.map((item, index) => (
        <li key={keyOf(item)} value={index}>{render(item, index)}</li>
      ))}
    </ul>
  );
}

export const numbers = (
  <List items={[1, 2, 3]} keyOf={(n) => n.toFixed(0)} render={(n, i) => n * i} />
);
