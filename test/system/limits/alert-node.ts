// A process that decides and sends alerts, as a server does, until it is killed. Its arguments are the database's URL, and when its clock
// was started and at what time.
import { beginAlerts } from "../../../src/alerts/alerts.ts";
import { createLog } from "../../../src/runtime/log.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { openStore } from "../../../src/store/open.ts";
import { fastClock } from "./fast-clock.ts";
import { databaseOptions } from "./stores.ts";

const [, , url = "", fromMs, startedMs] = process.argv;
const clock = fastClock(Number(fromMs), Number(startedMs));
const store = await openStore({ ...databaseOptions(url), clock, role: "command" });
beginAlerts({
  ...{ store, clock, randomness: systemRandomness, log: createLog("silent"), refunded: [], mail: undefined },
  checksMax: 50,
  webhooks: { userAgent: "Quintet/1", connectTimeoutMs: 60_000, allowsPrivate: true },
});
process.send?.("ready");
process.on("disconnect", () => process.exit(1));
