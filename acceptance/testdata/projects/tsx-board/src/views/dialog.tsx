import { h, type Child, type Component } from "../dom/h.ts";

type Size = "small" | "large";

type DialogProps =
  | { kind: "message"; text: string; children?: never }
  | { kind: "custom"; size: Size; children: Child };

/** A message, or whatever it is given. */
export const Dialog: Component<DialogProps> = (props) => {
  if (props.kind === "message") {
    return <div className="dialog">{props.text}</div>;
  }
  return <div className={`dialog ${props.size}`}>{props.children}</div>;
};

export function confirm(text: string, answer: (yes: boolean) => void) {
  return (
    <Dialog kind="custom" size="small">
      <input value={text} maxLength={80} onInput={({ value }) => answer(value.length > 0)} />
      <button type="submit" disabled={text === ""} onClick={() => answer(true)}>yes</button>
      <button type="button" onClick={({ x, y }) => answer(x > y)}>no</button>
    </Dialog>
  );
}
