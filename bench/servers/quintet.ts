// Quintet as it serves: the guard on, the whole envelope, answers of the radio directory in memory after the first. The directory's
// port is the first argument.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAccount } from "../../src/account/accounts.ts";
import { createKey } from "../../src/account/keys.ts";
import { buildApp } from "../../src/app.ts";
import { systemClock as clock } from "../../src/clock.ts";
import { readConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/log.ts";
import { systemRandomness as randomness } from "../../src/randomness.ts";
import { SERVICE_NAMES } from "../../src/services/service.ts";
import { openStore } from "../../src/store/open.ts";
import { ready } from "../ready.ts";

const dataDir = mkdtempSync(join(tmpdir(), "quintet-bench-"));
const plan = { name: "bench", priceMinor: 0, currency: "EUR", callsPerMonth: 2_000_000_000, requestsPerSecond: 100_000 };
const more = { "token-price": { tokensPerCallMax: 100 }, farkle: { farkleBreakdown: true } } as Record<string, object>;
const plansPath = join(dataDir, "plans.json");
writeFileSync(plansPath, JSON.stringify(Object.fromEntries(SERVICE_NAMES.map((name) => [name, [{ ...plan, ...more[name] }]]))));

const dead = "http://127.0.0.1:9";
const config = readConfig({
  QUINTET_PORT: "0",
  QUINTET_DATA_DIR: dataDir,
  QUINTET_PLANS: plansPath,
  QUINTET_LOG_LEVEL: "silent",
  QUINTET_RADIO_SRV: "none",
  QUINTET_RADIO_MIRRORS: `http://127.0.0.1:${process.argv[2]}`,
  QUINTET_RADIO_FRESH_MS: "3600000",
  QUINTET_COINS_URL: dead,
  QUINTET_TOKEN_LISTS: `uniswap=${dead}`,
  QUINTET_BITCOIN_CHARTS_URL: dead,
  QUINTET_BITCOIN_PRICE_URLS: `coinbase=${dead}`,
});
const app = await buildApp(config, { clock, randomness, log: createLog("silent") });
const { port } = await app.listen();
const store = await openStore({ dataDir, clock, role: "command" });
const account = await createAccount({ store, randomness }, { name: "bench", email: null });
for (const service of SERVICE_NAMES) {
  await store.createSubscription({ id: randomness.uuid(), accountId: account.id, service, plan: plan.name, state: "active" });
}
const { secret } = await createKey(
  { store, clock, randomness },
  { accountId: account.id, name: "bench", services: null, expiresAtMs: null },
);
await store.close();
ready({ port, key: secret });
