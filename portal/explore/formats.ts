// Numbers, prices and days as the reader's language writes them.
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";

const whole = new Intl.NumberFormat();
const ratio = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 });
const usd = new Intl.NumberFormat(undefined, { style: "currency", currency: "USD" });
const smallUsd = new Intl.NumberFormat(undefined, { style: "currency", currency: "USD", maximumSignificantDigits: 5 });
const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1, signDisplay: "exceptZero" });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** 12,345 */
export const formatWhole = (value: number): string => whole.format(value);
/** 0.916 */
export const formatRatio = (value: number): string => ratio.format(value);
/** $94,607.26, or $0.000012345 */
export const formatUsd = (value: number): string => (Math.abs(value) >= 1 ? usd : smallUsd).format(value);
/** +12.3 %; 0.123 is given. */
export const formatPercent = (share: number): string => percent.format(share);
/** Nov 21, 2026, of Unix seconds at UTC */
export const formatDay = (seconds: number): string => day.format(seconds * 1000);
/** Nov 21, 2026, 12:00 PM, of Unix seconds where the reader is */
export const formatMoment = (seconds: number): string => moment.format(seconds * 1000);
/** Unix seconds; NaN where there is none. */
export const secondsOf = (time: Timestamp | undefined): number =>
  time === undefined ? Number.NaN : timestampDate(time).getTime() / 1000;
