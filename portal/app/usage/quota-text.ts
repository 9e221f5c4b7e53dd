// What a quota's bar says in words.
import { formatNumber } from "../formats.ts";
import type { RunOut } from "./run-out.ts";

const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long", timeZone: "UTC" });

/** `3 December`, UTC. */
export const formatDay = (ms: number): string => DAY.format(ms);

/** How much is used and left: a sentence. */
export const usedText = (counted: number, callsPerMonth: number, remaining: number, resetsAtMs: number): string =>
  `${formatNumber(counted)} of ${formatNumber(callsPerMonth)} calls used, ${formatNumber(remaining)} left until ${formatDay(resetsAtMs)}, UTC.`;

/** When the rest is used up: a sentence. */
export function runOutText(found: RunOut): string {
  switch (found.kind) {
    case "usedUp":
      return "The month's calls are used up: further calls are refused until it ends.";
    case "unused":
      return "No call has counted lately.";
    case "lasts":
      return "At this pace they last until the month ends.";
    case "mayRunOut":
      return `At this pace they last until the month ends; on busy days they may be used up from ${formatDay(found.earliestMs)} on.`;
    case "runsOut":
      return `At this pace they are used up on ${formatDay(found.atMs)}${rangeText(found)}`;
  }
}

function rangeText({ earliestMs, latestMs }: Extract<RunOut, { kind: "runsOut" }>): string {
  if (earliestMs === undefined) {
    return "; a range needs three full days of calls.";
  }
  return latestMs === undefined
    ? `; eight times out of ten not before ${formatDay(earliestMs)}, and perhaps not before the month ends.`
    : `; eight times out of ten between ${formatDay(earliestMs)} and ${formatDay(latestMs)}.`;
}
