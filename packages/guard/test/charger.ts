// A process that calls as fast as it can until the month is used up. Prints `ready` and waits for a byte; then prints how many of its calls
// were admitted and kept.
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { Guard, KeyFormat, SqliteStore } from "../src/index.ts";

const [path = "", key = "", nowMs = "0"] = process.argv.slice(2);
const db = new DatabaseSync(path);
const clock = { nowMs: () => Number(nowMs), monotonicMs: () => performance.now() };
const guard = new Guard({
  store: new SqliteStore(db),
  keys: new KeyFormat("ek_"),
  clock,
  // The other process may hold the file for longer than a call waits, on a busy machine: then the call is refused.
  onError: () => {},
});
process.stdout.write("ready\n");
await once(process.stdin, "data");
process.stdin.destroy();
let kept = 0;
for (let calls = 0; ; calls++) {
  const decision = await guard.admit({ key, service: "eliza" });
  if (!decision.admitted) {
    if (decision.refusal.reason === "LIMITS_UNAVAILABLE") {
      continue;
    }
    if (decision.refusal.reason !== "QUOTA_EXCEEDED") {
      throw new Error(decision.refusal.reason);
    }
    break;
  }
  // Every fifth call fails, and is refunded.
  await decision.settle(calls % 5 !== 0);
  kept += calls % 5 === 0 ? 0 : 1;
}
process.stdout.write(String(kept));
