// Measures the longest turn of every method of the account services: CPU time of the thread that serves and keeps the database. The calls
// come from another thread. The server has 2,000 accounts, one of which has 90 keys and a year of usage.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { createAccount } from "../src/account/accounts.ts";
import { createKey } from "../src/account/keys.ts";
import { buildApp } from "../src/app.ts";
import { HIGHEST_ENTITLEMENTS, ownEntitlements } from "../src/catalogue/entitlements.ts";
import { SERVICE_NAMES } from "../src/catalogue/service-names.ts";
import { type Clock, systemClock } from "../src/runtime/clock.ts";
import { createLog } from "../src/runtime/log.ts";
import { systemRandomness as randomness } from "../src/runtime/randomness.ts";
import { openStore } from "../src/store/open.ts";
import type { Store } from "../src/store/store.ts";
import type { UsageCount } from "../src/store/usage-records.ts";
import { ACCOUNT_SERVICES, DATA_SERVICES, OPERATOR_SERVICES } from "../test/fixtures/data-services.ts";
import { ACCOUNT_REQUESTS, type PreparedThings } from "./account-requests.ts";
import type { AskedCall, CallOutcome } from "./calling-thread.ts";
import { benchConfig } from "./config.ts";
import type { TurnMeter } from "./turn-meter.ts";

const ACCOUNTS = 2000;
/** Room for a key and rotated ones. */
const KEYS = 90;
const DAYS = 365;
/** How many keys have usage on each day, with two outcomes of every data service's first method. */
const KEYS_IN_USE = 20;
const COUNTS_PER_BATCH = 5000;
const DAY_MS = 86_400_000;
const PASSWORD = "four loaded dice";
const CALLS = 4;
const SETTLED_MS = 100;

// Methods that are limited to a few calls a second are called as if seconds had passed.
let skippedMs = 0;
const clock: Clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + skippedMs };
const SKIP_MS = 60_000;

const dayBefore = (days: number): string => new Date(clock.nowMs() - days * DAY_MS).toISOString().slice(0, 10);
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, SETTLED_MS));

/** Rows of a table: a method, and its longest turn in the first call and in the others, in milliseconds. */
export async function measureAccountMethods(meter: TurnMeter): Promise<string[][]> {
  const dataDir = mkdtempSync(join(tmpdir(), "quintet-bench-"));
  const plansPath = join(dataDir, "plans.json");
  const plan = { priceMinor: 0, currency: "EUR", callsPerMonth: 2_000_000_000, requestsPerSecond: 1000 };
  const plans = SERVICE_NAMES.map((name) => {
    const own = { ...plan, ...ownEntitlements(name, HIGHEST_ENTITLEMENTS) };
    return [name, ["bench", "narrow"].map((each) => ({ ...own, name: each }))];
  });
  writeFileSync(plansPath, JSON.stringify(Object.fromEntries(plans)));
  const app = await buildApp(benchConfig({ QUINTET_DATA_DIR: dataDir, QUINTET_PLANS: plansPath }), {
    clock,
    randomness,
    log: createLog("silent"),
  });
  const store = await openStore({ dataDir, clock, role: "command" });
  const thread = new Worker(new URL("./calling-thread.ts", import.meta.url), {
    workerData: `http://127.0.0.1:${(await app.listen()).port}`,
  });
  const call = async (requested: AskedCall): Promise<CallOutcome> => {
    skippedMs += SKIP_MS;
    thread.postMessage(requested);
    const [outcome] = (await once(thread, "message")) as [CallOutcome];
    return outcome;
  };
  try {
    return await measureAll(meter, store, call);
  } finally {
    await thread.terminate();
    await store.close();
    await app.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Call = (requested: AskedCall) => Promise<CallOutcome>;
type Headers = AskedCall["headers"];

async function measureAll(meter: TurnMeter, store: Store, call: Call): Promise<string[][]> {
  const { things, owner, operator } = await prepare(store, call);
  const rows: string[][] = [];
  const methods = [...ACCOUNT_SERVICES, ...OPERATOR_SERVICES].flatMap(({ methods: all }) => all);
  const unasked = methods.filter(({ parent, name }) => !ACCOUNT_REQUESTS.has(`${parent.name}/${name}`));
  if (unasked.length > 0) {
    throw new Error(`${unasked.map(({ name }) => name).join(", ")} has no request in the bench`);
  }
  let newcomers = 0;
  for (const [name, { caller, input, fails }] of ACCOUNT_REQUESTS) {
    const [service = ""] = name.split("/");
    const typeName = [...ACCOUNT_SERVICES, ...OPERATOR_SERVICES].find((each) => each.name === service)?.typeName;
    const method = `${typeName}/${name.slice(service.length + 1)}`;
    const turns: number[] = [];
    for (let at = 0; at < CALLS; at += 1) {
      let headers: Headers = caller === "owner" ? owner : caller === "operator" ? operator : {};
      if (caller === "newcomer") {
        newcomers += 1;
        headers = await signUp(call, `newcomer-${newcomers}@bench.example`);
        await call({ method: method.replace(/\/.*/, "/SetSubscription"), input: { service: "radio", plan: "bench" }, headers });
      }
      await settled();
      meter.longestMs();
      const { failure } = await call({ method, input: input(things, at), headers });
      await settled();
      turns.push(meter.longestMs());
      if (fails === undefined ? failure !== undefined : failure?.includes(fails) !== true) {
        throw new Error(`${name}: ${failure}`);
      }
    }
    const [first = 0, ...others] = turns;
    rows.push([name, first.toFixed(1), Math.max(...others).toFixed(1)]);
  }
  return rows;
}

async function signUp(call: Call, email: string): Promise<Headers> {
  const { output, failure } = await call({
    method: "quintet.account.v1.SignInService/SignUp",
    input: { email, password: PASSWORD },
    headers: {},
  });
  if (failure !== undefined) {
    throw new Error(`signing up: ${failure}`);
  }
  return { authorization: `Bearer ${(output as { session: { token: string } }).session.token}` };
}

async function prepare(store: Store, call: Call) {
  for (let created = 0; created < ACCOUNTS; created += 1) {
    await createAccount({ store, randomness }, { name: `bench-${created}`, email: null });
  }
  const [ownerEmail, operatorEmail] = ["owner@bench.example", "operator@bench.example"];
  let owner = await signUp(call, ownerEmail);
  let operator = await signUp(call, operatorEmail);
  const idOf = async (headers: Headers): Promise<string> => {
    const { output } = await call({ method: "quintet.account.v1.AccountService/GetAccount", input: {}, headers });
    return (output as { account: { id: string } }).account.id;
  };
  const [ownerId, operatorId] = [await idOf(owner), await idOf(operator)];
  await store.setOperator(operatorId, true);
  const signIn = async (email: string): Promise<Headers> => {
    const { output } = await call({
      method: "quintet.account.v1.SignInService/SignIn",
      input: { email, password: PASSWORD },
      headers: {},
    });
    return { authorization: `Bearer ${(output as { session: { token: string } }).session.token}` };
  };
  operator = await signIn(operatorEmail);
  for (let created = 0; created < CALLS; created += 1) {
    owner = await signIn(ownerEmail);
  }
  const { output } = await call({ method: "quintet.account.v1.ProfileService/GetProfile", input: {}, headers: owner });
  const { sessions } = output as unknown as { sessions: readonly { id: string; isCurrent?: boolean }[] };
  const keyIds: string[] = [];
  for (let created = 0; created < KEYS; created += 1) {
    const wish = { accountId: ownerId, name: "bench", services: null, expiresAtMs: null };
    keyIds.push((await createKey({ store, clock, randomness }, wish)).key.id);
  }
  const subscriptionIds = SERVICE_NAMES.map(() => randomness.uuid());
  for (const [index, service] of SERVICE_NAMES.entries()) {
    const id = subscriptionIds[index] ?? "";
    await store.createSubscription({ id, accountId: ownerId, service, plan: "bench", state: "active" });
  }
  await writeUsage(store, ownerId, keyIds.slice(-KEYS_IN_USE));
  const things: PreparedThings = {
    password: PASSWORD,
    ownerEmail,
    ownerId,
    keyIds,
    sessionIds: sessions.filter(({ isCurrent }) => isCurrent !== true).map(({ id }) => id),
    subscriptionId: subscriptionIds[0] ?? "",
    fromDay: dayBefore(DAYS - 1),
    toDay: dayBefore(0),
  };
  return { things, owner, operator };
}

async function writeUsage(store: Store, accountId: string, keyIds: readonly string[]): Promise<void> {
  const counts: UsageCount[] = [];
  for (let day = 0; day < DAYS; day += 1) {
    for (const keyId of keyIds) {
      for (const [index, service] of SERVICE_NAMES.entries()) {
        const method = DATA_SERVICES[index]?.methods[0];
        const of = {
          accountId,
          keyId,
          service,
          method: `${method?.parent.typeName}/${method?.name}`,
          day: dayBefore(day),
          hour: day % 24,
        };
        counts.push({ ...of, outcome: "OK", calls: 7 }, { ...of, outcome: "INVALID_ARGUMENT", calls: 1 });
      }
    }
  }
  const writer = randomness.uuid();
  for (let at = 0; at < counts.length; at += COUNTS_PER_BATCH) {
    await store.addUsage(counts.slice(at, at + COUNTS_PER_BATCH), { writer, number: 1 + at / COUNTS_PER_BATCH });
  }
  while (await store.addUpCounts()) {
    // The server would do this later.
  }
}
