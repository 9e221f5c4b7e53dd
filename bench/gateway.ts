// A gateway in this process, with customers who have no limits, for benchmarks that measure inside the process.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAccount } from "../src/account/accounts.ts";
import { createKey } from "../src/account/keys.ts";
import { buildApp } from "../src/app.ts";
import { HIGHEST_ENTITLEMENTS, ownEntitlements } from "../src/catalogue/entitlements.ts";
import { SERVICE_NAMES } from "../src/catalogue/service-names.ts";
import { systemClock as clock } from "../src/runtime/clock.ts";
import { createLog } from "../src/runtime/log.ts";
import { systemRandomness as randomness } from "../src/runtime/randomness.ts";
import { openStore } from "../src/store/open.ts";
import { benchConfig } from "./config.ts";

/** A running gateway. */
export interface BenchGateway {
  readonly port: number;
  readonly origin: string;
  /** The first customer's key, and those of all customers. */
  readonly key: string;
  readonly keys: readonly string[];
  close(): Promise<void>;
}

const PLAN = { name: "bench", priceMinor: 0, currency: "EUR", callsPerMonth: 2_000_000_000, requestsPerSecond: 100_000 };
/** With this plan, the rate limit refuses nearly every call. */
export const NARROW_PLAN = { ...PLAN, name: "narrow", requestsPerSecond: 1 };

/** Starts it. Upstreams that `variables` does not name are dead. */
export async function startBenchGateway(variables: Readonly<Record<string, string>>, customers = 1): Promise<BenchGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), "quintet-bench-"));
  const plansPath = join(dataDir, "plans.json");
  const plans = SERVICE_NAMES.map((name) => {
    const entitlements = ownEntitlements(name, HIGHEST_ENTITLEMENTS);
    return [name, [NARROW_PLAN, PLAN].map((plan) => ({ ...plan, ...entitlements }))];
  });
  writeFileSync(plansPath, JSON.stringify(Object.fromEntries(plans)));
  const config = benchConfig({ QUINTET_DATA_DIR: dataDir, QUINTET_PLANS: plansPath, ...variables });
  const app = await buildApp(config, { clock, randomness, log: createLog("silent") });
  const { port } = await app.listen();
  const store = await openStore({ dataDir, clock, role: "command" });
  const keys: string[] = [];
  for (let created = 0; created < customers; created += 1) {
    const account = await createAccount({ store, randomness }, { name: `bench-${created}`, email: null });
    for (const service of SERVICE_NAMES) {
      await store.createSubscription({ id: randomness.uuid(), accountId: account.id, service, plan: PLAN.name, state: "active" });
    }
    const wish = { accountId: account.id, name: "bench", services: null, expiresAtMs: null };
    keys.push((await createKey({ store, clock, randomness }, wish)).secret);
  }
  await store.close();
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    key: keys[0] ?? "",
    keys,
    async close() {
      await app.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
