import { h, type Child } from "../dom/h.ts";
import type { Card } from "@board/model/card.ts";
import { Priority } from "@board/model/priority.ts";

export interface CardViewProps {
  card: Card;
  compact?: boolean;
  onOpen?: (id: Card["id"]) => void;
  children?: Child;
}

const marks: Record<Priority, string> = {
  [Priority.Low]: "⬇️",
  [Priority.Normal]: "",
  [Priority.High]: "⬆️",
  [Priority.Urgent]: "🔥",
};

/** One card. */
export function CardView({ card, compact = false, onOpen, children }: CardViewProps) {
  const mark = marks[card.priority];
  return (
    <board-card data-id={card.id} className={compact ? "card compact" : "card"}>
      <h2>{mark} {card.title} 🗂️ {card.assignee ?? "nobody"}</h2>
      {card.tags.map((tag) => <li key={tag}>{tag.slice(1)}</li>)}
      <button type="button" onClick={() => onOpen?.(card.id)}>open</button>
      {children}
    </board-card>
  );
}
