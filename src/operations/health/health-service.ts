// grpc.health.v1.Health, with which clients, meshes and orchestrators check whether a server or one of its services can be called.
// https://github.com/grpc/grpc/blob/master/doc/health-checking.md
import type { ServiceImpl } from "@connectrpc/connect";
import { type Health, HealthCheckResponse_ServingStatus as Status } from "../../../gen/grpc/health/v1/health_pb.js";
import { Failure } from "../../problem/failure.ts";
import { peerKey } from "../public-check.ts";
import type { StreamSlots } from "../stream-slots.ts";
import type { ServingStatus, WorkerHealth } from "./worker-health.ts";

const messageOf = (status: ServingStatus | undefined): { status: Status } => ({
  status: status === undefined ? Status.SERVICE_UNKNOWN : Status[status],
});

/** The handlers. `watchers` bounds the streams of Watch. */
export function createHealthHandlers(health: WorkerHealth, watchers: StreamSlots): ServiceImpl<typeof Health> {
  return {
    check({ service }) {
      const status = health.statusOf(service);
      if (status === undefined) {
        throw new Failure({
          reason: "NOT_FOUND",
          message: `There is no service "${service}" here. List returns the names of all services.`,
        });
      }
      return messageOf(status);
    },
    list: () => ({ statuses: Object.fromEntries(Array.from(health.all(), ([name, status]) => [name, messageOf(status)])) }),
    // An unknown service may become known later, so its stream stays open too.
    async *watch({ service }, { signal, values }) {
      const release = watchers.take(values.get(peerKey));
      try {
        let sent: Status | undefined;
        while (!signal.aborted) {
          const message = messageOf(health.statusOf(service));
          if (message.status === sent) {
            await health.untilNextCheck(signal);
          } else {
            sent = message.status;
            yield message;
          }
        }
      } finally {
        release();
      }
    },
  };
}
