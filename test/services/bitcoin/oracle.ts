// The indicators, implemented independently of the service from their definitions: values by date in a plain record, dates by
// the calendar, averages over lists. What the service computes is compared with this.

/** A value for each date, such as `2026-11-20`; a date without one is a gap. */
export type ByDate = Readonly<Record<string, number>>;

/** The date some days after another. */
function shifted(date: string, days: number): string {
  const moment = new Date(`${date}T00:00:00Z`);
  moment.setUTCDate(moment.getUTCDate() + days);
  return moment.toISOString().slice(0, 10);
}

/** `count` dates: the given one first, then back in time. */
export const datesBack = (date: string, count: number): string[] =>
  Array.from({ length: count }, (_, back) => shifted(date, -back));

const known = (values: ByDate, date: string, count: number): number[] => datesBack(date, count).flatMap((one) => values[one] ?? []);

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** price / average of 200 days. */
export function mayer(closes: ByDate, date: string) {
  const window = known(closes, date, 200);
  const price = closes[date] ?? Number.NaN;
  return { ratio: price / mean(window), price, average: mean(window), daysPresent: window.length };
}

/** revenue / average of 365 days. */
export function puell(revenues: ByDate, date: string) {
  const window = known(revenues, date, 365);
  const revenue = revenues[date] ?? Number.NaN;
  return { ratio: revenue / mean(window), revenue, average: mean(window), daysPresent: window.length };
}

/** market cap / average transaction value of 90 days. */
export function nvt(closes: ByDate, supplies: ByDate, volumes: ByDate, date: string) {
  const window = known(volumes, date, 90);
  const price = closes[date] ?? Number.NaN;
  const supply = supplies[date] ?? Number.NaN;
  const marketCap = price * supply;
  return { ratio: marketCap / mean(window), price, supply, marketCap, average: mean(window), daysPresent: window.length };
}

/** The mid-rank of the last of `values` among all of them, in percent. */
export function percentile(values: readonly number[], value: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return (50 * (sorted.indexOf(value) + sorted.lastIndexOf(value) + 1)) / sorted.length;
}

/** supply / growth of the supply over 365 days, and the model. */
export function s2f(closes: ByDate, supplies: ByDate, date: string) {
  const supply = supplies[date] ?? Number.NaN;
  const issuance = supply - (supplies[shifted(date, -365)] ?? Number.NaN);
  const ratio = supply / issuance;
  const price = closes[date] ?? Number.NaN;
  const modelPrice = Math.exp(3.36 * Math.log(ratio) - 1.84);
  return {
    ratio,
    supply,
    issuance,
    price,
    modelPrice,
    modelGapPercent: (modelPrice / price - 1) * 100,
    daysPresent: known(supplies, date, 365).length,
  };
}

/** The same value with every number rounded to ten digits, because the order of summation changes the last ones. */
export function rounded<Value>(value: Value): Value {
  if (typeof value === "number") {
    return Number(value.toPrecision(10)) as Value;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, one]) => [key, rounded(one)]);
    return (Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries)) as Value;
  }
  return value;
}
