// The steps of each span: hours, days or months, how they are requested and how they are written.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { LatencyDimension, type LatencyRow } from "../../../gen/quintet/account/v1/latency_pb.js";
import { RefusalDimension, type RefusalRow, UsageDimension, type UsageRow } from "../../../gen/quintet/account/v1/usage_pb.js";
import type { Span } from "./filters.ts";

/** The steps of a span. */
export interface Step {
  readonly usage: UsageDimension;
  readonly refusals: RefusalDimension;
  readonly latency: LatencyDimension;
  /** In a sentence: `hour`. */
  readonly name: string;
  /** Above a column of times. */
  readonly heading: string;
  readonly format: Intl.DateTimeFormat;
}

/** All in UTC, in which the server counts days and months. */
export const STEPS: Readonly<Record<Span, Step>> = {
  "24h": {
    usage: UsageDimension.HOUR,
    refusals: RefusalDimension.HOUR,
    latency: LatencyDimension.HOUR,
    name: "hour",
    heading: "Hour, UTC",
    format: new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit", timeZone: "UTC" }),
  },
  "30d": {
    usage: UsageDimension.DAY,
    refusals: RefusalDimension.DAY,
    latency: LatencyDimension.DAY,
    name: "day",
    heading: "Day, UTC",
    format: new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" }),
  },
  "12m": {
    usage: UsageDimension.MONTH,
    refusals: RefusalDimension.MONTH,
    latency: LatencyDimension.MONTH,
    name: "month",
    heading: "Month, UTC",
    format: new Intl.DateTimeFormat(undefined, { month: "short", year: "numeric", timeZone: "UTC" }),
  },
};

/** When the hour, day or month of a row started, in milliseconds since the epoch. */
export const beginOf = ({ hour, day, month }: Pick<UsageRow | RefusalRow | LatencyRow, "hour" | "day" | "month">): number =>
  hour === undefined ? Date.parse(day ?? `${month}-01`) : timestampMs(hour);
