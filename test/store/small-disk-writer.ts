// A separate process that writes to a database on a small disk, whose path is its argument, and prints the outcome as JSON.
import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../src/runtime/clock.ts";
import { openStore } from "../../src/store/open.ts";
import { offerBuiltInPlans } from "../fixtures/plan-file.ts";

const WRITES_MAX = 2000;

const [, , dataDir = ""] = process.argv;
const store = await openStore({ dataDir, clock: systemClock, role: "server" });

await offerBuiltInPlans(store);
await store.createAccount({ id: "a-1", name: "acme", email: null });
await store.createSubscription({ id: "s-1", accountId: "a-1", service: "farkle", plan: "free", state: "active" });

// The same row repeatedly: the log grows, and the database does not.
const write = (): Promise<boolean> =>
  store.lease("s-1", "2026-11", 1_000_000, 1).then(
    () => true,
    () => false,
  );
const writeUntilFull = async (): Promise<boolean> => {
  for (let round = 0; round < WRITES_MAX; round++) {
    if (!(await write())) {
      return true;
    }
  }
  return false;
};
await write();

const reader = new DatabaseSync(join(dataDir, "quintet.db"));
// All pages are now in the database, so that it need not grow once the disk is full.
reader.exec("PRAGMA wal_checkpoint(TRUNCATE)");
reader.exec("BEGIN");
reader.prepare("SELECT count(*) FROM month_leases").get();
const fullWhileRead = await writeUntilFull();
const stillFull = !(await write());
reader.exec("COMMIT");
reader.close();
// The first write may only discover that there is space again.
const healedAfterReader = (await write()) || (await write());

const filler = join(dataDir, "filler");
let bytes = 0;
for (const blockBytes of [65_536, 4096]) {
  try {
    for (;;) {
      writeFileSync(filler, Buffer.alloc(blockBytes), { flag: "a" });
      bytes += blockBytes;
    }
  } catch {
    // The disk is full.
  }
}
const fullWithFiller = await writeUntilFull();
rmSync(filler);
const healedWithRoom = (await write()) || (await write());
for (let round = 0; round < 300; round++) {
  await write();
}
const logBytes = statSync(join(dataDir, "quintet.db-wal")).size;
await store.close();
process.stdout.write(
  JSON.stringify({
    fullWhileRead,
    stillFull,
    healedAfterReader,
    filled: bytes > 0,
    fullWithFiller,
    healedWithRoom,
    logIsBounded: logBytes < 1_200_000,
  }),
);
