// A separate process that leases as fast as it can until nothing is left: one of several in the test of parallel leases. Reports when it is
// ready, begins when its input ends, and prints how many calls it got. Its arguments are a data directory and optionally a connection
// string.
import { once } from "node:events";
import { systemClock } from "../../src/runtime/clock.ts";
import { openStore } from "../../src/store/open.ts";
import { StoreUnavailable } from "../../src/store/store-errors.ts";

const [, , dataDir = "", url] = process.argv;
const database = url === undefined ? undefined : { url, connectionsMax: 1, staleAfterMs: 10_000 };
const store = await openStore({ dataDir, database, clock: systemClock, role: "command" });
process.stdout.write("ready");
await once(process.stdin.resume(), "end");
let total = 0;
for (let granted = 1; granted > 0; total += granted) {
  granted = await leaseOne();
}
await store.close();
process.stdout.write(String(total));

// Others may hold the database for longer than a lease waits. Nothing is granted then, and the lease is retried.
async function leaseOne(): Promise<number> {
  for (;;) {
    try {
      return (await store.lease("s-1", "2026-11", 300, 1)).granted;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) {
        throw error;
      }
    }
  }
}
