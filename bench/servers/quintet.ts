// Quintet as it serves: the guard on, the whole envelope, answers of the radio directory in memory after the first. The directory's
// port is the first argument, the number of threads the second; one by default.
import { tuneGarbageCollector } from "../../src/runtime/v8-flags.ts";
import { startBenchGateway } from "../gateway.ts";
import { ready } from "../ready.ts";

tuneGarbageCollector();
ready(
  await startBenchGateway({
    QUINTET_RADIO_MIRRORS: `http://127.0.0.1:${process.argv[2]}`,
    QUINTET_RADIO_FRESH_MS: "3600000",
    QUINTET_WORKERS: process.argv[3] ?? "1",
  }),
);
