import { h } from "@board/dom/h.ts";
import { isCardId, type Card } from "@board/model/card.ts";
import { Emitter, type Events } from "@board/model/events.ts";
import { Column, Priority } from "@board/model/priority.ts";
import { CardView } from "@board/views/card-view.tsx";
import { List } from "@board/views/list.tsx";
import { doing } from "@board/config/settings.ts";
import "@board/plugins/clock.ts";

const id = "card-1";

export function board(cards: readonly Card[]) {
  const events = new Emitter<Events>();
  const stop = events.on(["added", "removed"], (event) => void event.id);
  if (isCardId(id)) {
    events.emit("added", { id, title: "first", column: Column.Todo, priority: Priority.parse("High"), tags: ["#new"] });
  }
  stop();
  return (
    <List
      items={cards.slice(0, doing)}
      keyOf={(card) => card.id}
      render={(card) => <CardView card={card} compact onOpen={(open) => events.emit("removed", { id: open })} />}
    />
  );
}
