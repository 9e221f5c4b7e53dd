// Reads a period such as `1h`: a whole number and a unit. Pure.

const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 604_800 };
// The source records prices about every five minutes; what is finer would find the same record again.
const periodSecondsMin = 300;

/** The period that is taken when none is given. */
export const defaultPeriod = "1d";

/** A period's length in seconds; undefined where it is not a number from 1 to 999 with a unit, or less than five minutes. */
export function periodSeconds(period: string): number | undefined {
  const match = /^([1-9]\d{0,2})([mhdw])$/.exec(period);
  const seconds = Number(match?.[1]) * (unitSeconds[match?.[2] ?? ""] ?? Number.NaN);
  return seconds >= periodSecondsMin ? seconds : undefined;
}
