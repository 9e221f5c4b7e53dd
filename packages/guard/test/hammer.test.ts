// Several processes on one SQLite file: together they admit exactly what the month has.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { KeyFormat, SqliteStore } from "../src/index.ts";

const PROCESSES = 2;
const CALLS = 5000;

test("two processes that race for a month's calls use up every one, and never one more", async () => {
  const directory = mkdtempSync(join(tmpdir(), "guard-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "guard.db");
  const db = new DatabaseSync(path);
  const store = new SqliteStore(db);
  const { secret, hash } = new KeyFormat("ek_").generate("ek_");
  store.addKey("ada", { hash });
  store.subscribe("ada", "eliza", { name: "free", requestsPerSecond: 1_000_000, callsPerMonth: CALLS });
  const nowMs = Date.UTC(2026, 10, 29);
  const charger = join(import.meta.dirname, "charger.ts");
  const racers = Array.from({ length: PROCESSES }, () =>
    spawn(process.execPath, [charger, path, secret, String(nowMs)], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  onTestFinished(() => {
    for (const racer of racers) {
      racer.kill("SIGKILL");
    }
  });
  const exits = racers.map(async (racer) => {
    const [code] = await once(racer, "exit");
    if (code !== 0) {
      throw new Error("a process has failed");
    }
  });
  const died = Promise.all(exits).then(() => new Promise<never>(() => {}));
  await Promise.race([Promise.all(racers.map(({ stdout }) => once(stdout, "data"))), died]);
  const counted = Promise.all(
    racers.map(async ({ stdin, stdout }) => {
      stdin.write("\n");
      const [count] = await once(stdout, "data");
      return Number(count);
    }),
  );
  const kept = await Promise.race([counted, died]);
  expect(kept.reduce((sum, one) => sum + one, 0)).toBe(store.callsOf("ada", "eliza", "2026-11"));
  expect(store.callsOf("ada", "eliza", "2026-11")).toBeLessThanOrEqual(CALLS);
  // A refund that comes after the other process has given up is left over.
  expect(store.callsOf("ada", "eliza", "2026-11")).toBeGreaterThan(CALLS - PROCESSES - 1);
  expect(Math.min(...kept)).toBeGreaterThan(0);
  db.close();
});
