// What a quota's bar says in words.
import { formatNumber } from "../formats.ts";
import type { RunOut } from "./run-out.ts";

const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long", timeZone: "UTC" });

/** `3 December`, UTC. */
export const formatDay = (ms: number): string => DAY.format(ms);

/** A sentence about how much is used and left. */
export const usedText = (counted: number, callsPerMonth: number, remaining: number, resetsAtMs: number): string =>
  `${formatNumber(counted)} of ${formatNumber(callsPerMonth)} calls used, ${formatNumber(remaining)} left until ${formatDay(resetsAtMs)} (UTC).`;

/** A sentence about when the rest will be used up. */
export function runOutText(found: RunOut): string {
  switch (found.kind) {
    case "usedUp":
      return "This month's calls are used up. Further calls are refused until the month ends.";
    case "tooEarly":
      return "A forecast needs three full days of calls (UTC).";
    case "unused":
      return "No calls were counted recently.";
    case "lasts":
      return "At this pace they last until the month ends.";
    case "mayRunOut":
      return `At this pace they last until the month ends, but could run out as early as ${formatDay(found.earliestMs)}.`;
    case "runsOut":
      return `At this pace they run out on ${formatDay(found.atMs)}${rangeText(found)}`;
  }
}

function rangeText({ earliestMs, latestMs }: Extract<RunOut, { kind: "runsOut" }>): string {
  return latestMs === undefined
    ? `; with 80% likelihood not before ${formatDay(earliestMs)}, and perhaps not before the month ends.`
    : `; with 80% likelihood between ${formatDay(earliestMs)} and ${formatDay(latestMs)}.`;
}
