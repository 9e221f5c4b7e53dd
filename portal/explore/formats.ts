// Numbers, prices and days as the reader's language writes them.
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";

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
/** Nov 21, 2026, at UTC, of milliseconds since the epoch */
export const formatDay = (ms: number): string => day.format(ms);
/** Nov 21, 2026, 12:00 PM, where the reader is, of milliseconds since the epoch */
export const formatMoment = (ms: number): string => moment.format(ms);
/** Milliseconds since the epoch; NaN where there is no time. */
export const millisOf = (time: Timestamp | undefined): number => (time === undefined ? Number.NaN : timestampMs(time));
