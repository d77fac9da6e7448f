import { hours, type Duration } from "@atlas/units/time";

/** Ticks until the time is over. */
export async function* ticks(total: Duration, step: Duration = hours(1)): AsyncIterableIterator<number> {
  for (let at = 0; at < total.seconds; at += step.seconds) {
    yield await Promise.resolve(at);
  }
}

export const day = ticks(hours(24));
