// The method of AccountService for the services' status, which anybody may call.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { type MeasurementSchema, ServiceCondition } from "../../../gen/quintet/account/v1/status_pb.js";
import type { Clock } from "../../runtime/clock.ts";
import type { Store } from "../../store/store.ts";
import { type Condition, createStatusReader, type Measurement } from "../status.ts";
import type { Handlers } from "./handlers.ts";

const CONDITIONS: Readonly<Record<Condition, ServiceCondition>> = {
  operational: ServiceCondition.OPERATIONAL,
  degraded: ServiceCondition.DEGRADED,
  failing: ServiceCondition.FAILING,
  quiet: ServiceCondition.QUIET,
};

export function createStatusHandlers(deps: {
  readonly store: Pick<Store, "healthRows">;
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">;
}): Pick<Handlers<typeof AccountService, unknown>, "getStatus"> {
  const read = createStatusReader(deps);
  return {
    async getStatus() {
      const { measuredAtMs, fromDay, services } = await read();
      return {
        measuredAt: timestampFromMs(measuredAtMs),
        fromDay,
        services: services.map(({ service, calls, source }) => ({
          service,
          calls: measurementMessage(calls),
          ...(source !== undefined && { source: measurementMessage(source) }),
        })),
      };
    },
  };
}

const measurementMessage = ({
  condition,
  availability,
  medianMs,
  p95Ms,
  days,
}: Measurement): MessageInitShape<typeof MeasurementSchema> => ({
  condition: CONDITIONS[condition],
  ...(availability !== undefined && { availability }),
  ...(medianMs !== undefined && { medianMs }),
  ...(p95Ms !== undefined && { p95Ms }),
  days: days.map((day) => ({
    day: day.day,
    availability: day.availability,
    ...(day.medianMs !== undefined && { medianMs: day.medianMs }),
  })),
});
