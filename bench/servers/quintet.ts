// Quintet as it serves: the guard on, the whole envelope, answers of the radio directory in memory after the first.
import { tuneGarbageCollector } from "../../src/runtime/v8-flags.ts";
import { startBenchGateway } from "../gateway.ts";
import { ready } from "../ready.ts";
import { directoryPort, threads, tlsFiles, variables } from "../server-options.ts";

tuneGarbageCollector();
ready(
  await startBenchGateway({
    QUINTET_RADIO_MIRRORS: `http://127.0.0.1:${directoryPort}`,
    QUINTET_RADIO_FRESH_MS: "3600000",
    QUINTET_WORKERS: threads,
    // All load comes from one address.
    QUINTET_CONNECTIONS_PER_ADDRESS_MAX: "0",
    ...(tlsFiles && { QUINTET_TLS_CERT: tlsFiles.cert, QUINTET_TLS_KEY: tlsFiles.key }),
    ...variables,
  }),
);
