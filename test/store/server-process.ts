// A server's store in a process of its own, for the test that kills it. Says when it is open, and stays.
import { systemClock } from "../../src/runtime/clock.ts";
import { openStore } from "../../src/store/open.ts";

await openStore({ dataDir: process.argv[2] ?? "", clock: systemClock, role: "server" });
process.stdout.write("open");
