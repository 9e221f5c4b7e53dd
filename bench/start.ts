// Measures a start as operators do it: the time until a customer's first call completes, and the memory of the idle server after that.
// One worker; the upstreams are never called.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { DEAD_UPSTREAMS } from "../test/fixtures/dead-upstreams.ts";
import { median } from "./table.ts";

/** How the program is started: from the bundle of `npm run build:server`, as in production, or from its sources. */
export type Entry = "dist/start.js" | "src/start.js";

/** What a start costs. */
export interface StartCost {
  readonly firstAnswerMs: number;
  readonly idleMib: number;
}

const STARTS = 5;
const SERVER_CORE = "0";

/** Starts it several times, each time with an existing data directory, and returns the medians. */
export async function measureStarts(entry: Entry): Promise<StartCost> {
  execFileSync(process.execPath, ["scripts/build-server.ts"], { stdio: ["ignore", "ignore", "inherit"] });
  const dataDir = mkdtempSync(join(tmpdir(), "quintet-start-"));
  try {
    const variables = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      QUINTET_DATA_DIR: dataDir,
      QUINTET_WORKERS: "1",
      QUINTET_LOG_LEVEL: "silent",
      ...DEAD_UPSTREAMS,
    };
    const quintet = (...args: string[]): string =>
      execFileSync(process.execPath, [entry, ...args], { env: variables, encoding: "utf8" });
    quintet("migrate");
    quintet("account", "create", "bench");
    quintet("subscription", "create", "bench", "farkle");
    const key = /qk_live_\w+/.exec(quintet("key", "create", "bench", "--name", "bench"))?.[0] ?? "";
    const costs: StartCost[] = [];
    for (let count = 0; count < STARTS; count += 1) {
      costs.push(await measureStart(entry, variables, key));
    }
    return {
      firstAnswerMs: median(costs.map(({ firstAnswerMs }) => firstAnswerMs)),
      idleMib: median(costs.map(({ idleMib }) => idleMib)),
    };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measureStart(entry: Entry, variables: NodeJS.ProcessEnv, key: string): Promise<StartCost> {
  const port = await freePort();
  const startedMs = performance.now();
  const child = spawn("taskset", ["-c", SERVER_CORE, process.execPath, entry, "serve"], {
    env: { ...variables, QUINTET_PORT: String(port) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await firstAnswer(`http://127.0.0.1:${port}/farkle/v1/score?dice=1`, key);
  const firstAnswerMs = performance.now() - startedMs;
  await wait(1000);
  const idleMib = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;
  child.kill();
  await once(child, "exit");
  return { firstAnswerMs, idleMib };
}

async function firstAnswer(url: string, key: string): Promise<void> {
  for (let tries = 0; tries < 2000; tries += 1) {
    const response = await fetch(url, { headers: { "x-gateway-key": key } }).catch(() => undefined);
    if (response?.ok) {
      return;
    }
    // Refused until it listens, and over the plan's rate if the previous start was just before.
    await wait(10);
  }
  throw new Error(`${url} got no response`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
