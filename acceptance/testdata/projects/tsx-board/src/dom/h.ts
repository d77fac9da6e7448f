/** What a component makes: an element or text, any number of them. */
export type Child = h.JSX.Element | string | number | false | null | undefined | readonly Child[];

export type Component<P = {}> = (props: P) => h.JSX.Element | null;

export interface Handlers {
  onClick?: (event: { readonly x: number; readonly y: number }) => void;
  onInput?: (event: { readonly value: string }) => void;
}

export interface Common extends Handlers {
  id?: string;
  className?: string;
  children?: Child;
  key?: string | number;
}

/** The function that elements are calls of. */
export function h<P>(type: string | Component<P>, props: P | null, ...children: Child[]): h.JSX.Element {
  return { type: typeof type === "string" ? type : type.name, props: { ...props }, children };
}

export function Fragment(props: { children?: Child }): h.JSX.Element {
  return { type: "", props: {}, children: [props.children] };
}

export declare namespace h {
  namespace JSX {
    interface Element {
      readonly type: string;
      readonly props: object;
      readonly children: readonly Child[];
    }
    interface ElementChildrenAttribute {
      children: {};
    }
    interface IntrinsicAttributes {
      key?: string | number;
    }
    interface IntrinsicElements {
      div: Common;
      h2: Common;
      ul: Common;
      li: Common & { value?: number };
      button: Common & { type: "button" | "submit"; disabled?: boolean };
      input: Omit<Common, "children"> & { value: string; maxLength?: number };
      "board-card": Common & { "data-id": string };
    }
  }
}
