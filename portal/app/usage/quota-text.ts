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
      return "At this pace they will last all month.";
    case "mayRunOut":
      return `At this pace they will last all month, but could run out as early as ${formatDay(found.earliestMs)}.`;
    case "runsOut":
      return `At this pace they will run out on ${formatDay(found.atMs)}${rangeText(found)}`;
  }
}

function rangeText({ earliestMs, latestMs }: Extract<RunOut, { kind: "runsOut" }>): string {
  return latestMs === undefined
    ? `; 80% likely on ${formatDay(earliestMs)} or later, if at all this month.`
    : `; 80% likely between ${formatDay(earliestMs)} and ${formatDay(latestMs)}.`;
}
