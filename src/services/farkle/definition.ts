// The Farkle service: scores of dice. It computes everything itself, so it has neither settings nor an upstream.
import type { ServiceDefinition } from "../definition.ts";

export const FARKLE: ServiceDefinition<undefined> = {
  readConfig: () => undefined,
  upstreams: () => [],
  loadContract: async () => (await import("../../../gen/quintet/farkle/v1/farkle_pb.js")).FarkleService,
  create: async () => (await import("./service.ts")).createFarkle(),
};
