// Backup and restore of a server under load. Customers call and operators create keys during the backup, which contains everything that was
// confirmed before it started. After the restore all its keys work, and no call of the month is granted twice.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { createCommandLine } from "../cli/command-line.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";

const CALLS_PER_MONTH = 3000;
const PLANS = { farkle: [{ name: "free", callsPerMonth: CALLS_PER_MONTH, requestsPerSecond: 100 }] };
const ROUNDS = 30;
const ROUND_MS = 200;
const CALLERS = 12;

const statusOf = async (gateway: Gateway, secret: string): Promise<number> => {
  const response = await fetch(`${gateway.origin}/farkle/v1/score?dice=1`, { headers: { "x-gateway-key": secret } });
  await response.arrayBuffer();
  return response.status;
};

test("a backup under load contains every confirmed call before it, and a server restored from it admits no call twice", async () => {
  const dataDir = temporaryDirectory();
  const { run, clock } = createCommandLine();
  const command = (line: string) => run(line, { QUINTET_DATA_DIR: dataDir, QUINTET_PLANS: join(dataDir, "plans.json") });
  const gateway = await startGateway({ dataDir, plans: PLANS });
  const first = await gateway.makeCustomer({ farkle: "free" });
  const created: { readonly id: string; readonly secret: string }[] = [];
  const statuses: number[] = [];
  const file = join(temporaryDirectory(), "backup");
  let beforeBackup = 0;
  let backup: ReturnType<typeof command> | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const calls = Array.from({ length: CALLERS }, async () => statuses.push(await statusOf(gateway, first.secret)));
    const customer = gateway.makeCustomer({ farkle: "free" }).then(({ secret, key: { id } }) => created.push({ id, secret }));
    if (round === ROUNDS / 3) {
      beforeBackup = created.length;
      backup = command(`backup ${file}`);
    }
    await Promise.all([...calls, customer]);
    clock.advance(ROUND_MS);
    gateway.clock.advance(ROUND_MS);
  }
  expect(await backup).toMatchObject({ code: 0, err: "" });
  expect(beforeBackup).toBe(ROUNDS / 3);
  const copy = new DatabaseSync(file, { readOnly: true });
  const copied = new Set(
    copy
      .prepare("SELECT id FROM api_keys")
      .all()
      .map(({ id }) => id),
  );
  copy.close();
  expect(created.slice(0, beforeBackup).filter(({ id }) => !copied.has(id))).toEqual([]);

  const refused = await command(`restore ${file}`);
  expect([refused.code, refused.err]).toEqual([5, expect.stringContaining("A server is running on the data directory")]);
  const responded = statuses.filter((status) => status === 200).length;
  expect(responded).toBeGreaterThan(ROUNDS);
  await gateway.close();

  const restored = JSON.parse((await command(`restore ${file} --json`)).out);
  const kept = new DatabaseSync(restored.kept_database, { readOnly: true });
  const all = new Set(
    kept
      .prepare("SELECT id FROM api_keys")
      .all()
      .map(({ id }) => id),
  );
  kept.close();
  expect(created.filter(({ id }) => !all.has(id))).toEqual([]);

  const again = await startGateway({ dataDir, plans: PLANS });
  onTestFinished(() => again.close());
  again.clock.advance(ROUNDS * ROUND_MS);
  const working = await Promise.all(created.map(async ({ id, secret }) => ({ id, status: await statusOf(again, secret) })));
  expect(working.filter(({ id, status }) => status !== (copied.has(id) ? 200 : 401))).toEqual([]);
  let later = 0;
  for (let status = 200; status === 200; again.clock.advance(1000)) {
    status = (await Promise.all(Array.from({ length: 50 }, () => statusOf(again, first.secret)))).reduce((last, each) => {
      later += each === 200 ? 1 : 0;
      return Math.max(last, each);
    }, 0);
  }
  expect(later).toBeGreaterThan(0);
  expect(responded + later).toBeLessThanOrEqual(CALLS_PER_MONTH);
});
