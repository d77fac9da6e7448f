export interface Duration {
  readonly seconds: number;
}

export function hours(n: number): Duration {
  return { seconds: n * 3600 };
}

export default hours;
