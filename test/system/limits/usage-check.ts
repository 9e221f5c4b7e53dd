// The usage history's guarantee, checked on a record: it has every admitted call once, by key and outcome, and nothing else.
import type { Month } from "../../../src/runtime/calendar.ts";
import { type CallRecord, type Event, type History, meaningOf } from "./history.ts";

// Counts are written once a second, and a write takes time; whatever a process had not written when it died is lost.
const UNWRITTEN_MS = 2000;

// How long a write attempt may take, and how often there is one.
const ATTEMPT_MS = 2000;
const ATTEMPT_EVERY_MS = 1000;

interface Group {
  readonly subscription: string;
  readonly key: string;
  readonly month: Month | undefined;
  readonly outcome: string;
}

const nameOf = ({ subscription, key, month, outcome }: Group): string => `${subscription}, ${key}, ${month}, ${outcome}`;

/** What is wrong with the usage history, in sentences. */
export function checkUsage(history: History): string[] {
  const admitted = history.calls.filter(({ outcome }) => ["kept", "refunded"].includes(meaningOf(outcome) ?? ""));
  const admittedByName = Map.groupBy(admitted, nameOf);
  const rows = new Map(history.usage.map((row) => [nameOf(row), row]));
  return [...new Set([...admittedByName.keys(), ...rows.keys()])].flatMap((name) => {
    const calls = admittedByName.get(name) ?? [];
    const written = rows.get(name)?.calls ?? 0;
    const least = calls.length - unwritten(calls, history.events);
    const most = calls.length + withLostResponses(rows.get(name), history.calls) + writtenAgain(calls, history.events);
    const wrong = written < least ? `fewer than ${least}` : written > most ? `more than ${most}` : undefined;
    return wrong === undefined ? [] : [`usage differs: ${name} has ${written} calls, ${wrong}`];
  });
}

/** Calls that a process may have counted but not written when it died. Nothing is written while the database fails. */
function unwritten(calls: readonly CallRecord[], events: readonly Event[]): number {
  const deaths = events.filter((event) => event.kind === "node killed" || event.kind === "worker killed");
  const failures = events.filter((event) => event.kind === "database failed");
  const spans = deaths.map(({ node, atMs }) => {
    const sinceMs = atMs - UNWRITTEN_MS - latenessMs(calls);
    const blocked = failures.filter(({ fromMs, untilMs }) => fromMs <= atMs && untilMs + ATTEMPT_MS >= sinceMs);
    return { node, atMs, sinceMs: Math.min(sinceMs, ...blocked.map(({ fromMs }) => fromMs - UNWRITTEN_MS)) };
  });
  return calls.filter(({ node, endMs, startMs }) =>
    spans.some((span) => span.node === node && endMs >= span.sinceMs && startMs <= span.atMs),
  ).length;
}

/** How much a busy machine delays everything, judged by the slowest response. */
const latenessMs = (calls: readonly CallRecord[]): number =>
  calls.reduce((worstMs, { startMs, endMs }) => Math.max(worstMs, endMs - startMs), 0);

/** Calls of the key whose responses were lost: each may be in any row. */
function withLostResponses(row: Group | undefined, calls: readonly CallRecord[]): number {
  return calls.filter(
    ({ subscription, key, outcome }) => outcome === "lost" && subscription === row?.subscription && key === row.key,
  ).length;
}

/** Calls that may have been written more than once, because a write that was not confirmed is repeated. */
function writtenAgain(calls: readonly CallRecord[], events: readonly Event[]): number {
  return events.reduce((sum, event) => {
    if (event.kind !== "database failed") {
      return sum;
    }
    const untilMs = event.untilMs + ATTEMPT_MS + latenessMs(calls);
    const sinceMs = event.fromMs - UNWRITTEN_MS - latenessMs(calls);
    const attempts = 1 + Math.ceil((untilMs - event.fromMs) / ATTEMPT_EVERY_MS);
    return sum + attempts * calls.filter(({ endMs }) => endMs >= sinceMs && endMs <= untilMs).length;
  }, 0);
}
