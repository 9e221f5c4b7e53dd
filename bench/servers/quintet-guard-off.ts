// Quintet without its guard, to measure the guard's cost: a worker thread whose guard admits every call at once, charges nothing and has no
// limits. It serves the calls that need no upstream. Callers send a key, which is ignored, so that the requests are the same as with the
// guard.

import { WatchedAccounts } from "../../src/account/watch/watched-accounts.ts";
import { entitlementsKey, HIGHEST_ENTITLEMENTS } from "../../src/catalogue/entitlements.ts";
import { loadPlans } from "../../src/catalogue/plans.ts";
import type { Admitted } from "../../src/guard/guard.ts";
import { generateKey } from "../../src/guard/keys/key.ts";
import { systemClock as clock } from "../../src/runtime/clock.ts";
import { createLog } from "../../src/runtime/log.ts";
import { systemRandomness as randomness } from "../../src/runtime/randomness.ts";
import { tuneToLoad, tuneToServe } from "../../src/runtime/v8-flags.ts";
import { createGatewayServer } from "../../src/workers/gateway-server.ts";
import { benchConfig } from "../config.ts";
import { ready } from "../ready.ts";

tuneToLoad();
const admitted: Admitted = {
  admitted: true,
  caller: { key: entitlementsKey, value: HIGHEST_ENTITLEMENTS },
  settle() {},
  renew: () => admitted,
  watch: () => () => {},
};
const closed = async (): Promise<never> => {
  throw new Error("Nobody has an account here.");
};
const config = benchConfig({});
const { listener } = await createGatewayServer({
  config,
  tls: undefined,
  guard: { admit: () => admitted },
  callers: { identify: () => ({ identity: { accountId: "anybody", keyId: "any", keyLastFour: "0000" } }) },
  plans: loadPlans(config.plansPath),
  accountRpc: {
    admit: closed,
    call: closed,
    stream() {
      throw new Error("Nobody has an account here.");
    },
  },
  callWatch: { watched: new WatchedAccounts(), passOn() {}, logCalls() {} },
  clock,
  randomness,
  log: createLog(config.logLevel),
  extraHeaders: {},
  canAdmit: () => true,
});
const { port } = await listener.listen(config.host, config.port);
tuneToServe();
ready({ port, keys: Array.from({ length: 200 }, () => generateKey(randomness).secret) });
