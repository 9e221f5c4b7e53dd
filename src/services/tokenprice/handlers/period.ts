// Parses a period such as `1h`: a whole number and a unit. Pure.

const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 604_800 };

export const PERIOD_DEFAULT = "1d";

/** A period's length in seconds; undefined if it is not a number from 1 to 999 and a unit. */
export function periodSeconds(period: string): number | undefined {
  const [, number, unit = ""] = /^([1-9]\d{0,2})([mhdw])$/.exec(period) ?? [];
  const seconds = UNIT_SECONDS[unit];
  return seconds === undefined ? undefined : Number(number) * seconds;
}
