// Quintet as in production: with the guard, 200 customers, the whole envelope, and the radio directory's responses cached after the first.

import { UsageCounter } from "../../src/guard/batched-counts.ts";
import { RefusedSeconds } from "../../src/guard/rate/refused-seconds.ts";
import { RefusalCounter } from "../../src/guard/refusal-counter.ts";
import { tuneToLoad } from "../../src/runtime/v8-flags.ts";
import { startBenchGateway } from "../gateway.ts";
import { ready } from "../ready.ts";
import { directoryPort, isUncounted, threads, tlsFiles, variables } from "../server-options.ts";

tuneToLoad();
if (isUncounted) {
  UsageCounter.prototype.count = () => {};
  RefusalCounter.prototype.count = () => {};
  RefusedSeconds.prototype.count = () => 0;
}
ready(
  await startBenchGateway(
    {
      QUINTET_RADIO_MIRRORS: `http://127.0.0.1:${directoryPort}`,
      QUINTET_RADIO_FRESH_MS: "3600000",
      // Searches wait for the directory, which gets only a small part of a core.
      QUINTET_CALL_TIMEOUT_MS: "80000",
      QUINTET_WORKERS: threads,
      // The whole load has one address.
      QUINTET_CONNECTIONS_PER_ADDRESS_MAX: "0",
      ...(tlsFiles && { QUINTET_TLS_CERT: tlsFiles.cert, QUINTET_TLS_KEY: tlsFiles.key }),
      ...variables,
    },
    200,
  ),
);
