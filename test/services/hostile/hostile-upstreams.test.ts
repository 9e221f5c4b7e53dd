// How much memory and work a hostile upstream can cause, over real sockets, in a process with a small heap.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { ROOT } from "../../fixtures/root.ts";
import { startHostileServer } from "./hostile-server.ts";

const HEAP_MIB = 256;
const TIMEOUT_MS = 60_000;
let origin = "";

beforeAll(async () => {
  origin = await startHostileServer();
});

test.each([
  ["radio", 64],
  ["token-price", 48],
  ["token-list", 160],
  ["bitcoin", 32],
])("%s: 210 calls with a hostile upstream leave at most %i MiB behind, and the process survives", async (name, keptMiBMax) => {
  const flags = ["--expose-gc", `--max-old-space-size=${HEAP_MIB}`];
  const script = join(ROOT, "test/services/hostile/service-calls.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, script, origin, name], {
    cwd: ROOT,
    timeout: TIMEOUT_MS,
  });
  const figures = JSON.parse(stdout) as { readonly calls: number; readonly keptMiB: number };
  expect(figures).toMatchObject({ service: name, calls: 210 });
  expect(figures.keptMiB, stdout).toBeLessThanOrEqual(keptMiBMax);
});
