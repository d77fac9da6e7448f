/** How soon a card wants to be done. */
export enum Priority {
  Low,
  Normal,
  High = 10,
  Urgent,
}

export enum Column {
  Todo = "todo",
  Doing = "doing",
  Done = "done",
}

export namespace Priority {
  export function parse(text: keyof typeof Priority | "none"): Priority {
    switch (text) {
      case "Low":
        return Priority.Low;
      case "High":
        return Priority.High;
      case "Urgent":
        return Priority.Urgent;
      default:
        return Priority.Normal;
    }
  }
}
