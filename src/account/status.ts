// The public status of the services: measured success rates and response times (but no counts), and what operators say about incidents.
import { hasUpstreams, SERVICE_NAMES, type ServiceName } from "../catalogue/service-names.ts";
import type { Clock } from "../runtime/clock.ts";
import { hasEnded, type Incident } from "../store/incident-records.ts";
import type { Store } from "../store/store.ts";
import { HEALTH_KEPT_DAYS, type HealthRow, type HealthSums, LATENCY_BOUNDS_MS } from "../store/usage-records.ts";
import { latencyQuantileMs } from "./latency-quantile.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
// The database is read at most this often, however often the status is requested.
const CACHED_MS = 30_000;
const ENDED_INCIDENTS_MAX = 50;
const OPERATIONAL_MIN = 0.99;
const DEGRADED_MIN = 0.9;
// Fewer failures count only if most calls failed: two of 25 say little about a service.
const FAILURES_MIN = 5;
const FEW_FAILURES_MIN = 0.5;

/** The condition of a service or a source: see `quintet.account.v1.ServiceCondition`. */
export type Condition = "operational" | "degraded" | "failing" | "quiet";

/** The measurements of one service or source. */
export interface Measurement {
  readonly condition: Condition;
  /** From 0 to 1; undefined if nothing was measured. */
  readonly availability: number | undefined;
  readonly medianMs: number | undefined;
  readonly p95Ms: number | undefined;
  readonly days: readonly { readonly day: string; readonly availability: number; readonly medianMs: number | undefined }[];
}

/** The measurements of all services. */
export interface Status {
  readonly measuredAtMs: number;
  readonly fromDay: string;
  readonly services: readonly {
    readonly service: ServiceName;
    readonly calls: Measurement;
    /** Undefined for a service without a source. */
    readonly source: Measurement | undefined;
  }[];
  /** Open and scheduled incidents, and then incidents that have ended; in each group, the latest first. */
  readonly incidents: readonly Incident[];
}

export type StatusStore = Pick<Store, "healthRows" | "incidents">;

/** Reads the status, and caches it for half a minute. If it cannot be read, the last one is returned. */
export function createStatusReader({
  store,
  clock,
}: {
  readonly store: StatusStore;
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">;
}): () => Promise<Status> {
  let last: { readonly status: Status; readonly untilMs: number } | undefined;
  let inProgress: Promise<Status> | undefined;
  const read = async (): Promise<Status> => {
    try {
      const status = await readStatus(store, clock.nowMs());
      last = { status, untilMs: clock.monotonicMs() + CACHED_MS };
      return status;
    } catch (error) {
      if (last === undefined) {
        throw error;
      }
      last = { status: last.status, untilMs: clock.monotonicMs() + CACHED_MS };
      return last.status;
    } finally {
      inProgress = undefined;
    }
  };
  return () => {
    if (last !== undefined && clock.monotonicMs() < last.untilMs) {
      return Promise.resolve(last.status);
    }
    inProgress ??= read();
    return inProgress;
  };
}

async function readStatus(store: StatusStore, nowMs: number): Promise<Status> {
  const fromDay = new Date(nowMs - (HEALTH_KEPT_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  const fromHour = new Date(nowMs - HOUR_MS).toISOString().slice(0, 13);
  const [days, recent, incidents] = await Promise.all([
    store.healthRows({ fromHour: fromDay, by: "day" }),
    store.healthRows({ fromHour, by: "hour" }),
    store.incidents(),
  ]);
  const isOpen = (incident: Incident): boolean => !hasEnded(incident, nowMs);
  const measured = (service: ServiceName, part: HealthRow["part"]): Measurement => {
    const isOfSubject = (row: HealthRow): boolean => row.service === service && row.part === part;
    return measurementOf(days.filter(isOfSubject), recent.filter(isOfSubject));
  };
  return {
    measuredAtMs: nowMs,
    fromDay,
    services: SERVICE_NAMES.map((service) => ({
      service,
      calls: measured(service, "calls"),
      source: hasUpstreams(service) ? measured(service, "source") : undefined,
    })),
    incidents: [...incidents.filter(isOpen), ...incidents.filter((one) => !isOpen(one)).slice(0, ENDED_INCIDENTS_MAX)],
  };
}

function measurementOf(days: readonly HealthRow[], recent: readonly HealthRow[]): Measurement {
  const all = sumOf(days);
  return {
    condition: conditionOf(sumOf(recent)),
    availability: availabilityOf(all),
    medianMs: latencyQuantileMs(all.latency, LATENCY_BOUNDS_MS, 0.5),
    p95Ms: latencyQuantileMs(all.latency, LATENCY_BOUNDS_MS, 0.95),
    days: days.flatMap((row) => {
      const availability = availabilityOf(row);
      return availability === undefined
        ? []
        : [{ day: row.time, availability, medianMs: latencyQuantileMs(row.latency, LATENCY_BOUNDS_MS, 0.5) }];
    }),
  };
}

const sumOf = (rows: readonly HealthRow[]): HealthSums => ({
  calls: rows.reduce((sum, { calls }) => sum + calls, 0),
  failed: rows.reduce((sum, { failed }) => sum + failed, 0),
  refused: rows.reduce((sum, { refused }) => sum + refused, 0),
  latency: Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, (_, bucket) =>
    rows.reduce((sum, { latency }) => sum + (latency[bucket] ?? 0), 0),
  ),
});

const availabilityOf = ({ calls, failed }: HealthSums): number | undefined => (calls === 0 ? undefined : 1 - failed / calls);

function conditionOf(sums: HealthSums): Condition {
  const availability = availabilityOf(sums);
  if (availability === undefined) {
    return "quiet";
  }
  if (availability >= (sums.failed < FAILURES_MIN ? FEW_FAILURES_MIN : OPERATIONAL_MIN)) {
    return "operational";
  }
  return availability >= DEGRADED_MIN ? "degraded" : "failing";
}
