// How long calls take where a contender has half of the load that it can bear.
import type { Contender } from "./contender.ts";
import { latenciesOf } from "./load.ts";
import { percentilesOf } from "./percentiles.ts";
import type { Workload } from "./workloads.ts";

/** What calls took, in milliseconds. */
export interface HalfLoad {
  readonly callsPerSecond: number;
  readonly median: number;
  readonly p99: number;
}

const MEASURED: ReadonlySet<string> = new Set(["gRPC score", "gRPC score, one stream a connection", "REST score"]);

/** Whether it is measured under this workload. */
export const hasHalfLoad = ({ name }: Workload): boolean => MEASURED.has(name);

/** Measures one contender, which answers `fullPerSecond` calls a second when it has all that it can bear. */
export async function measureHalfLoad(
  contender: Contender,
  workload: Workload,
  seconds: number,
  fullPerSecond: number,
): Promise<HalfLoad> {
  const callsPerSecond = Math.round(fullPerSecond / 2);
  const { median, p99 } = percentilesOf(await latenciesOf(contender, workload, seconds, callsPerSecond));
  return { callsPerSecond, median, p99 };
}
