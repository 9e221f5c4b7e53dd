// UTC days and interpolation between known ones, for the invented worlds of the stand-ins. Pure.

/** A value on a day: whole days since 1970, and the value. */
export type KnownDay = readonly [day: number, value: number];

export const DAY_SECONDS = 86_400;

/** The day of a date such as `2024-04-20`. */
export const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / (DAY_SECONDS * 1000);

/**
 * The value on a day, interpolated between the known days around it; constant after the last one. At least one known day must be on
 * or before `day`.
 */
export function between(known: readonly KnownDay[], day: number, scale: "linear" | "logarithmic"): number {
  const next = known.findIndex(([at]) => at > day);
  const [fromDay, from] = known[next === -1 ? known.length - 1 : next - 1] ?? [day, 0];
  const [toDay, to] = known[next] ?? [fromDay + 1, from];
  const share = (day - fromDay) / (toDay - fromDay);
  return scale === "linear" ? from + (to - from) * share : from * (to / from) ** share;
}
