// A server's store in a separate process, for the test that kills it. Reports when it is open, and keeps running.
import { systemClock } from "../../src/runtime/clock.ts";
import { openStore } from "../../src/store/open.ts";

await openStore({ dataDir: process.argv[2] ?? "", clock: systemClock, role: "server" });
process.stdout.write("open");
