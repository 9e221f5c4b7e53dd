// A process of its own that leases, as fast as it can, until nothing is left: one of several in the test of parallel leases. Says when
// it is ready, begins when its input ends, and prints how many calls it got. Told a data directory, or behind it a connection string.
import { once } from "node:events";
import { systemClock } from "../../src/runtime/clock.ts";
import { openStore } from "../../src/store/open.ts";

const [, , dataDir = "", url] = process.argv;
const database = url === undefined ? undefined : { url, connectionsMax: 1, staleAfterMs: 10_000 };
const store = await openStore({ dataDir, database, clock: systemClock, role: "command" });
process.stdout.write("ready");
await once(process.stdin.resume(), "end");
let total = 0;
for (let granted = 1; granted > 0; total += granted) {
  ({ granted } = await store.lease("s-1", "2026-11", 300, 1));
}
await store.close();
process.stdout.write(String(total));
