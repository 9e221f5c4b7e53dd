// Customers that a guard has not cached: each is an account with a key and a radio subscription on the plan `free`, all inserted into the
// database at once, with that plan.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { GeneratedKey } from "@quintet/guard";
import { generateKey } from "../../src/guard/keys/key.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import type { ClosableGuard } from "../fixtures/one-thread-guard.ts";
import { inDatabase } from "../fixtures/servers/postgres.ts";
import { ADDRESS, METHOD } from "./scene.ts";

/** A customer. */
export interface Customer {
  readonly id: string;
  readonly key: GeneratedKey;
}

/** The limits of their plan. */
export interface CustomersPlan {
  readonly callsPerMonth: number;
  readonly requestsPerSecond: number;
}

const SMALL_PLAN: CustomersPlan = { callsPerMonth: 3000, requestsPerSecond: 5 };

/** New customers, not yet in a database. */
export const makeCustomers = (count: number): readonly Customer[] =>
  Array.from({ length: count }, (_, index) => ({ id: `c-${index}`, key: generateKey(systemRandomness) }));

const rowsOf = (customers: readonly Customer[]): string => JSON.stringify(customers.map(({ id, key }) => ({ id, hash: key.hash })));

/** Inserts customers into a migrated PostgreSQL database. */
export async function addToPostgres(url: string, customers: readonly Customer[], plan: CustomersPlan = SMALL_PLAN): Promise<void> {
  const source = "FROM json_to_recordset($1) AS row(id text, hash text)";
  await inDatabase(url, async (client) => {
    await client.query(planStatement(plan));
    for (const statement of statementsOf(source)) {
      await client.query(statement, [rowsOf(customers)]);
    }
  });
}

/** Inserts customers into a migrated embedded database that no server has open. */
export function addToSqlite(dataDir: string, customers: readonly Customer[]): void {
  const database = new DatabaseSync(join(dataDir, "quintet.db"));
  const source = "FROM (SELECT value ->> 'id' AS id, value ->> 'hash' AS hash FROM json_each($1)) AS row";
  database.exec("BEGIN IMMEDIATE");
  database.exec(planStatement(SMALL_PLAN));
  for (const statement of statementsOf(source)) {
    database.prepare(statement).run({ $1: rowsOf(customers) });
  }
  database.exec("COMMIT");
  database.close();
}

const planStatement = ({ callsPerMonth, requestsPerSecond }: CustomersPlan): string =>
  `INSERT INTO plans (id, service, name, version, price_minor, currency, billing_interval, calls_per_month, requests_per_second, entitlements,
     position, created_at_ms)
   VALUES ('radio/free/1', 'radio', 'free', 1, 0, 'EUR', 'month', ${callsPerMonth}, ${requestsPerSecond}, '{}', 0, 0)`;

const statementsOf = (source: string): readonly string[] => [
  `INSERT INTO accounts (id, name, suspended, created_at_ms) SELECT id, id, 0, 0 ${source}`,
  `INSERT INTO api_keys (id, account_id, name, hash, prefix, last_four, created_at_ms, disabled)
   SELECT id, id, 'first', hash, 'qk_live_', '0000', 0, 0 ${source}`,
  `INSERT INTO subscriptions (id, account_id, service, plan_id, agreed_at_ms, state, created_at_ms)
   SELECT id, id, 'radio', 'radio/free/1', 0, 'active', 0 ${source}`,
];

/** How many calls ended with "OK", or with each reason of a refusal. */
export type Outcomes = Readonly<Record<string, number>>;

/** Each customer calls once, through this many parallel callers. */
export async function callOnce(guard: ClosableGuard, customers: readonly Customer[], callers: number): Promise<Outcomes> {
  const outcomes: Record<string, number> = {};
  const waiting = customers.values();
  const caller = async (): Promise<void> => {
    for (const { key } of waiting) {
      const decision = await guard.admit({ key: key.secret, address: ADDRESS, service: "radio", method: METHOD });
      const outcome = decision.admitted ? "OK" : decision.problem.reason;
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (decision.admitted) {
        decision.settle("OK");
      }
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return outcomes;
}
