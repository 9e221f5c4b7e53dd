// The steps of each span: hours, days or months, how they are requested and how they are written.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { UsageDimension } from "../../../gen/quintet/account/v1/usage_pb.js";
import type { Span } from "./filters.ts";
import type { UsageRow } from "./usage-report.ts";

/** The steps of a span. */
export interface Step {
  readonly dimension: UsageDimension;
  /** In a sentence: `hour`. */
  readonly name: string;
  /** Above a column of times. */
  readonly heading: string;
  readonly format: Intl.DateTimeFormat;
}

/** All in UTC, in which the server counts days and months. */
export const STEPS: Readonly<Record<Span, Step>> = {
  "24h": {
    dimension: UsageDimension.HOUR,
    name: "hour",
    heading: "Hour, UTC",
    format: new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit", timeZone: "UTC" }),
  },
  "30d": {
    dimension: UsageDimension.DAY,
    name: "day",
    heading: "Day, UTC",
    format: new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" }),
  },
  "12m": {
    dimension: UsageDimension.MONTH,
    name: "month",
    heading: "Month, UTC",
    format: new Intl.DateTimeFormat(undefined, { month: "short", year: "numeric", timeZone: "UTC" }),
  },
};

/** When the hour, day or month of a row started, in milliseconds since the epoch. */
export const beginOf = ({ hour, day, month }: Pick<UsageRow, "hour" | "day" | "month">): number =>
  hour === undefined ? Date.parse(day ?? `${month}-01`) : timestampMs(hour);
