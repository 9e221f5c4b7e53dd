// Numbers, prices and days formatted for the user's language.
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";

const whole = new Intl.NumberFormat();
const ratio = new Intl.NumberFormat(undefined, { minimumFractionDigits: 3, maximumFractionDigits: 3 });
const tick = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 });
const score = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const usd = new Intl.NumberFormat(undefined, { style: "currency", currency: "USD" });
// The price of a token that is worth a dollar changes by less than a cent.
const dollars = new Intl.NumberFormat(undefined, { style: "currency", currency: "USD", maximumFractionDigits: 4 });
const smallUsd = new Intl.NumberFormat(undefined, { style: "currency", currency: "USD", maximumSignificantDigits: 5 });
const wholeUsd = new Intl.NumberFormat(undefined, { style: "currency", currency: "USD", maximumFractionDigits: 0 });
const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1, signDisplay: "exceptZero" });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
const time = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** 12,345 */
export const formatWhole = (value: number): string => whole.format(value);
/** `1 vote`, `12,345 votes`. `one` is the singular of a noun with a regular plural. */
export const formatCount = (count: number, one: string): string => `${formatWhole(count)} ${one}${count === 1 ? "" : "s"}`;
/** 0.916 or 0.900: always three decimals, so that ratios next to each other are easy to compare. */
export const formatRatio = (value: number): string => ratio.format(value);
/** 0.8, for a ratio on the axis of a plot. */
export const formatRatioTick = (value: number): string => tick.format(value);
/** 10.6, for a score out of 100. */
export const formatScore = (value: number): string => score.format(value);
/** $94,607.26, $1.0003 or $0.000012345 */
export const formatUsd = (value: number): string =>
  (Math.abs(value) >= 10 ? usd : Math.abs(value) >= 1 ? dollars : smallUsd).format(value);
/** $3,050 or $0.9995: a price on the axis of a plot, without cents if it is a whole number. */
export const formatUsdTick = (value: number): string => (Number.isInteger(value) ? wholeUsd.format(value) : formatUsd(value));
/** `+12.3%`, for 0.123. */
export const formatPercent = (share: number): string => percent.format(share);
/** Nov 21, 2026, in UTC, for milliseconds since the epoch */
export const formatDay = (ms: number): string => day.format(ms);
/** Nov 21, 2026, 12:00 PM, in the user's time zone, for milliseconds since the epoch */
export const formatDateTime = (ms: number): string => dateTime.format(ms);
/** 12:00:05 PM, in the user's time zone, for milliseconds since the epoch */
export const formatTime = (ms: number): string => time.format(ms);
/** Milliseconds since the epoch; NaN if there is no time. */
export const millisOf = (time: Timestamp | undefined): number => (time === undefined ? Number.NaN : timestampMs(time));
