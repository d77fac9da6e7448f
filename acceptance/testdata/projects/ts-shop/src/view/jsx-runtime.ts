/** What JSX evaluates to: markup that is already escaped. */
export interface Markup {
  readonly html: string;
}

type Child = Markup | string | number | boolean | null | undefined | readonly Child[];

interface Attributes {
  readonly class?: string;
  readonly id?: string;
  readonly title?: string;
  readonly children?: Child;
}

interface ButtonAttributes extends Attributes {
  readonly type: "button" | "submit";
  readonly disabled?: boolean;
}

interface TimeAttributes extends Attributes {
  readonly datetime: string;
}

type Component<P> = (props: P) => Markup;

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escape = (text: string): string => text.replace(/[&<>"]/g, (c) => entities[c] ?? c);

function render(child: Child): string {
  if (child === null || child === undefined || typeof child === "boolean") {
    return "";
  }
  if (typeof child === "string" || typeof child === "number") {
    return escape(String(child));
  }
  return "html" in child ? child.html : child.map(render).join("");
}

/** Groups children without an element of its own. */
export function Fragment(props: { readonly children?: Child }): Markup {
  return { html: render(props.children) };
}

/** The function the compiler calls for every element. */
export function jsx<P extends object>(type: string | Component<P>, props: P): Markup {
  if (typeof type === "function") {
    return type(props);
  }
  const { children, ...rest } = props as { readonly children?: Child };
  const attributes = Object.entries(rest)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => ` ${name}="${escape(String(value))}"`);
  return { html: `<${type}${attributes.join("")}>${render(children)}</${type}>` };
}

export const jsxs = jsx;

export declare namespace JSX {
  type Element = Markup;
  interface ElementChildrenAttribute {
    children: unknown;
  }
  interface IntrinsicElements {
    article: Attributes;
    button: ButtonAttributes;
    h1: Attributes;
    li: Attributes;
    output: Attributes;
    p: Attributes;
    span: Attributes;
    time: TimeAttributes;
    ul: Attributes;
  }
}
