export const shared = 1;
export interface Shape { side: number }
export class Base<T> { value!: T }
export function sealed(target: unknown, _context?: unknown): void { void target; }
export type Alias = "a" | "b";
export namespace Inner { export type Deep = 1; }
export default function standard(): void {}
