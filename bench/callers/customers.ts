// Customers by the thousand, inserted into a migrated PostgreSQL database with a few statements: each has an account, one key, and a
// subscription to Farkle.
import { generateKey } from "../../src/guard/keys/key.ts";
import { systemRandomness as randomness } from "../../src/runtime/randomness.ts";
import { inDatabase } from "../../test/fixtures/servers/postgres.ts";

const BATCH = 10_000;

const STATEMENTS = [
  `insert into accounts (id, name, suspended, created_at_ms) select id, id, 0, 0 from json_to_recordset($1) as c (id text)`,
  `insert into api_keys (id, account_id, name, hash, prefix, last_four, created_at_ms, disabled)
   select key, id, 'bench', hash, 'qk_live_', '0000', 0, 0 from json_to_recordset($1) as c (id text, key text, hash text)`,
  `insert into subscriptions (id, account_id, service, plan_id, agreed_at_ms, state, created_at_ms)
   select subscription, id, 'farkle', 'farkle/' || $2 || '/1', 0, 'active', 0 from json_to_recordset($1) as c (id text, subscription text)`,
] as const;

/** Inserts customers on this plan of Farkle, and returns their keys. */
export async function insertCustomers(url: string, count: number, plan: string): Promise<readonly string[]> {
  const created = Array.from({ length: count }, () => ({ ...generateKey(randomness), id: randomness.uuid() }));
  await inDatabase(url, async (client) => {
    for (let start = 0; start < count; start += BATCH) {
      const batch = created.slice(start, start + BATCH);
      const rows = batch.map(({ id, hash }) => ({ id, hash, key: randomness.uuid(), subscription: randomness.uuid() }));
      for (const [index, statement] of STATEMENTS.entries()) {
        await client.query(statement, index === 2 ? [JSON.stringify(rows), plan] : [JSON.stringify(rows)]);
      }
    }
    await client.query("vacuum analyze accounts, api_keys, subscriptions");
  });
  return created.map(({ secret }) => secret);
}
