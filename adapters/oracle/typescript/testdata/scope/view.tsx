import { shared } from "./lib";
‸
declare namespace JSX {
  interface Element { element: true }
  interface IntrinsicElements { [name: string]: any }
}
interface Props<T> { items: T[]; render: (item: T) => JSX.Element }
function List<T,>(props: Props<T>) {
  const count = props.items.length;
  return <div class="x" onClick={() => { const inHandler = 1; ‸}} title={‸count}>
    it's text with } and {props.items.map((item, at) => <b key={at}>{‸item}</b>)} {"}"} isn't <br/>
    {count > 1 && <i>{‸props}</i>}
    <List items={[‸1]} render={n => ‸<b>{n}</b>} />
    <>{(() => { const inFragment = 1; return ‸inFragment })()}</>
  </div>;
}
const arrow = <G,>(g: G) => { ‸return <a {...‸g}/> };
class View<S> {
  state!: S;
  render = () => <p>{‸this.state}</p>;
  draw(part: keyof S) { const local = 1; return <p id={`${‸local}`}>{part as string} {/* ‸ */}</p> }
}
const element = <List items={[1]} render={function each(item) { ‸return <b>{item}</b> }} />;
const less = 1 < shared ? ‸1 : 2;
export { arrow, element, less, View };
‸
