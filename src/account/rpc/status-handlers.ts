// The method of AccountService that returns the services' status, which anybody may call.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { type MeasurementSchema, ServiceCondition } from "../../../gen/quintet/account/v1/status_pb.js";
import type { Clock } from "../../runtime/clock.ts";
import { hasEnded } from "../../store/incident-records.ts";
import { type Condition, createStatusReader, type Measurement, type StatusStore } from "../status.ts";
import type { Handlers } from "./handlers.ts";
import { incidentMessage } from "./incident-messages.ts";

const CONDITIONS: Readonly<Record<Condition, ServiceCondition>> = {
  operational: ServiceCondition.OPERATIONAL,
  degraded: ServiceCondition.DEGRADED,
  failing: ServiceCondition.FAILING,
  quiet: ServiceCondition.QUIET,
};

export function createStatusHandlers(options: {
  readonly store: StatusStore;
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">;
}): Pick<Handlers<typeof AccountService, unknown>, "getStatus"> {
  const read = createStatusReader(options);
  return {
    async getStatus({ onlyOpenIncidents }) {
      const { measuredAtMs, fromDay, services, incidents } = await read();
      const nowMs = options.clock.nowMs();
      const shown = onlyOpenIncidents ? incidents.filter((incident) => !hasEnded(incident, nowMs)) : incidents;
      return {
        measuredAt: timestampFromMs(measuredAtMs),
        fromDay,
        incidents: shown.map((incident) => incidentMessage(incident, nowMs)),
        services: (onlyOpenIncidents ? [] : services).map(({ service, calls, source }) => ({
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
