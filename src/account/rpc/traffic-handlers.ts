// OperatorService.GetTraffic: what all servers counted in the last day, by hour.
import { type OperatorService, TrafficKind } from "../../../gen/quintet/operator/v1/operator_pb.js";
import type { Clock } from "../../runtime/clock.ts";
import type { Store } from "../../store/store.ts";
import { type HealthRow, LATENCY_BOUNDS_MS } from "../../store/usage-records.ts";
import { latencyQuantileMs } from "../latency-quantile.ts";
import type { Handlers, SignedIn } from "./handlers.ts";

const DAY_MS = 86_400_000;
const MEDIAN = 0.5;

const KINDS: Readonly<Record<HealthRow["part"], TrafficKind>> = {
  calls: TrafficKind.CALLS,
  source: TrafficKind.SOURCE,
};

export function createTrafficHandlers({
  store,
  clock,
}: {
  readonly store: Pick<Store, "healthRows">;
  readonly clock: Pick<Clock, "nowMs">;
}): Pick<Handlers<typeof OperatorService, SignedIn>, "getTraffic"> {
  return {
    async getTraffic() {
      const fromHour = new Date(clock.nowMs() - DAY_MS).toISOString().slice(0, 13);
      const rows = await store.healthRows({ fromHour, by: "hour" });
      return {
        results: rows.map(({ time, service, part, calls, failed, refused, latency }) => {
          const medianMs = latencyQuantileMs(latency, LATENCY_BOUNDS_MS, MEDIAN);
          return {
            ...{ hour: time, service, kind: KINDS[part], calls, failed, refused },
            ...(medianMs !== undefined && { medianMs }),
          };
        }),
      };
    },
  };
}
