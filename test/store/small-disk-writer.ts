// A separate process that writes to a database on a small disk, whose path is its argument, and prints the outcome as JSON.
import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../src/runtime/clock.ts";
import { openStore } from "../../src/store/open.ts";

const WRITES_MAX = 2000;

const [, , dataDir = ""] = process.argv;
const store = await openStore({ dataDir, clock: systemClock, role: "server" });

// The same hundred rows repeatedly: the log grows, and the database does not.
let writes = 0;
const write = async (): Promise<boolean> => {
  const method = `${"m".repeat(900)}${writes++ % 100}`;
  const count = {
    accountId: "a-1",
    keyId: "k-1",
    service: "farkle",
    method,
    day: "2026-11-21",
    hour: 9,
    outcome: "OK",
    calls: 1,
  } as const;
  return store.addUsage([count]).then(
    () => true,
    () => false,
  );
};
const writeUntilFull = async (): Promise<boolean> => {
  for (let round = 0; round < WRITES_MAX; round++) {
    if (!(await write())) {
      return true;
    }
  }
  return false;
};
for (let round = 0; round < 100; round++) {
  await write();
}

const reader = new DatabaseSync(join(dataDir, "quintet.db"));
// All pages of the rows are now in the database, so that it need not grow once the disk is full.
reader.exec("PRAGMA wal_checkpoint(TRUNCATE)");
reader.exec("BEGIN");
reader.prepare("SELECT count(*) FROM usage_counts").get();
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
