// The services that operators and tools call without a key: health always, and reflection if it is on.
import type { DescService } from "@bufbuild/protobuf";
import type { RateLimit } from "@quintet/guard";
import { file_google_rpc_error_details } from "../../gen/google/rpc/error_details_pb.js";
import { file_google_rpc_status } from "../../gen/google/rpc/status_pb.js";
import { Health } from "../../gen/grpc/health/v1/health_pb.js";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as AlphaServerReflection } from "../../gen/grpc/reflection/v1alpha/reflection_pb.js";
import type { CheckedService } from "../gateway/rpc/method.ts";
import type { Clock } from "../runtime/clock.ts";
import { createHealthHandlers } from "./health/health-service.ts";
import type { WorkerHealth } from "./health/worker-health.ts";
import { createPublicCheck } from "./public-check.ts";
import { DescriptorIndex } from "./reflection/descriptor-index.ts";
import { asAlphaHandlers, createReflectionHandlers } from "./reflection/reflection-service.ts";
import { StreamSlots } from "./stream-slots.ts";

// Per address. All clients behind a proxy share its address.
const HEALTH_CALLS: RateLimit = { burst: 200, everyMs: 5 };
const WATCHERS = { inAllMax: 1000, perNetworkMax: 200 };
// Tools send a few requests for each command that a person types.
const REFLECTION_CALLS: RateLimit = { burst: 60, everyMs: 100 };
const REFLECTION_STREAMS = { inAllMax: 100, perNetworkMax: 20 };

// Tools need these to print the details of errors.
const ERROR_FILES = [file_google_rpc_status, file_google_rpc_error_details];

interface KeylessServicesOptions {
  readonly health: WorkerHealth;
  /** The other services that are served, which reflection shows; undefined if reflection is off. */
  readonly reflected: readonly DescService[] | undefined;
  readonly clock: Clock;
}

export function createKeylessServices({ health, reflected, clock }: KeylessServicesOptions): readonly CheckedService[] {
  const healthService: CheckedService = {
    desc: Health,
    implementation: createHealthHandlers(health, new StreamSlots(WATCHERS)),
    accessCheck: createPublicCheck(clock, HEALTH_CALLS),
  };
  if (reflected === undefined) {
    return [healthService];
  }
  const index = new DescriptorIndex([...reflected, Health, ServerReflection, AlphaServerReflection], ERROR_FILES);
  const handlers = createReflectionHandlers(index, new StreamSlots(REFLECTION_STREAMS));
  const accessCheck = createPublicCheck(clock, REFLECTION_CALLS);
  return [
    healthService,
    { desc: ServerReflection, implementation: handlers, accessCheck },
    { desc: AlphaServerReflection, implementation: asAlphaHandlers(handlers), accessCheck },
  ];
}
