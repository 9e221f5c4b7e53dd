// The configuration of the gateways in the benchmarks: a free port, no log, no drain, and unreachable upstreams unless others are given.
import { type Config, readConfig } from "../src/server-config.ts";
import { DEAD_UPSTREAMS } from "../test/fixtures/dead-upstreams.ts";

/** The configuration, in which `variables` override the bench's own. */
export const benchConfig = (variables: Readonly<Record<string, string>>): Config =>
  readConfig({
    QUINTET_PORT: "0",
    QUINTET_LOG_LEVEL: "silent",
    QUINTET_DRAIN_MS: "0",
    ...DEAD_UPSTREAMS,
    ...variables,
  });
