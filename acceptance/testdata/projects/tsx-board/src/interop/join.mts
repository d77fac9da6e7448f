export type Joiner = (...parts: string[]) => string;

export const join: Joiner = (...parts) => parts.filter((part) => part !== "").join("/");
