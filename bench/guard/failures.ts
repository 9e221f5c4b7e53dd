// Measures what callers see when a store fails: the responses and their latency before, during and after the outage.
import { systemClock as clock } from "../../src/runtime/clock.ts";
import { seeded } from "../../src/sandbox/stand-ins/seeded.ts";
import { Callers, passed } from "../../test/system/limits/callers.ts";
import type { Customer } from "../../test/system/limits/customers.ts";
import { meaningOf } from "../../test/system/limits/history.ts";
import type { NodeProcess } from "../../test/system/limits/node-process.ts";
import { type Percentiles, percentilesOf } from "../percentiles.ts";

/** One failure. */
export interface Failure {
  readonly name: string;
  fail(): unknown;
  heal(): unknown;
}

/** What callers saw while the store was away. */
export interface Seen {
  readonly name: string;
  /** The number of calls by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** In milliseconds. */
  readonly took: Percentiles;
  /** Of admitted calls, and of refused calls. */
  readonly tookAdmitted: Percentiles | undefined;
  readonly tookRefused: Percentiles | undefined;
  /**
   * Milliseconds from when the store was back until the first call was admitted again or, if none was refused, until rates were
   * counted together again.
   */
  readonly healMs: number;
  /** Calls that were refused after that because of the store. */
  readonly refusedLater: number;
}

const BEFORE_MS = 1000;
const AWAY_MS = 4000;
const AFTER_MS = 4000;
const CALLERS = 8;
const PER_SECOND = 400;

/** Makes calls to a node throughout a failure. */
export async function seeFailure(node: NodeProcess, customer: Customer, { name, fail, heal }: Failure): Promise<Seen> {
  const callers = new Callers();
  let isOver = false;
  const calling = callers.callOn({
    random: seeded(1),
    customer,
    nodes: () => [node],
    callers: CALLERS,
    perSecond: PER_SECOND,
    isOver: () => isOver,
  });
  await passed(BEFORE_MS);
  await fail();
  const fromMs = clock.monotonicMs();
  await passed(AWAY_MS);
  const untilMs = clock.monotonicMs();
  await heal();
  const backMs = clock.monotonicMs();
  await passed(AFTER_MS);
  isOver = true;
  await calling;
  const away = callers.calls.filter(({ startMs }) => startMs >= fromMs && startMs < untilMs);
  const tookOf = (meaning: string): Percentiles | undefined => {
    const some = away.filter(({ outcome }) => meaningOf(outcome) === meaning).map(({ startMs, endMs }) => endMs - startMs);
    return some.length === 0 ? undefined : percentilesOf(some);
  };
  const later = callers.calls.filter(({ startMs }) => startMs >= backMs);
  const admittedAtMs = Math.min(...later.filter(({ outcome }) => meaningOf(outcome) === "kept").map(({ endMs }) => endMs));
  const togetherAtMs = node.record.events.flatMap((event) =>
    event.kind === "rate shared out" && event.fromMs < backMs && event.untilMs > backMs ? event.untilMs : [],
  );
  return {
    name,
    outcomes: Object.fromEntries([...Map.groupBy(away, ({ outcome }) => outcome)].map(([outcome, all]) => [outcome, all.length])),
    took: percentilesOf(away.map(({ startMs, endMs }) => endMs - startMs)),
    tookAdmitted: tookOf("kept"),
    tookRefused: tookOf("refused"),
    healMs: (togetherAtMs[0] ?? (tookOf("refused") === undefined ? backMs : admittedAtMs)) - backMs,
    refusedLater: later.filter(({ outcome, startMs }) => outcome === "LIMITS_UNAVAILABLE" && startMs >= admittedAtMs).length,
  };
}
