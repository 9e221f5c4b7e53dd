// Writes counters as strings. V8 caches the string of each number that it formats, which is useless for counters and makes work for the
// garbage collector.

const THOUSAND = 1000;
const SMALL = Array.from({ length: THOUSAND }, (_, value) => String(value));
const LAST_THREE_DIGITS = SMALL.map((text) => text.padStart(3, "0"));

/** The decimal digits of a whole number of at least 0. */
export function decimal(value: number): string {
  return value < THOUSAND
    ? (SMALL[value] as string)
    : // The digits before the last three change only every thousand numbers.
      `${Math.floor(value / THOUSAND)}${LAST_THREE_DIGITS[value % THOUSAND]}`;
}
