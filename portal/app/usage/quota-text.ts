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

// A range of one day says nothing more.
function rangeText({ atMs, earliestMs, latestMs }: Extract<RunOut, { kind: "runsOut" }>): string {
  const earliest = formatDay(earliestMs);
  if (latestMs === undefined) {
    return earliest === formatDay(atMs)
      ? ", but could last all month."
      : `, but could run out as early as ${earliest} or last all month.`;
  }
  const latest = formatDay(latestMs);
  return earliest === latest ? "." : `. There is an 80% chance that this happens between ${earliest} and ${latest}.`;
}
