// The bundle of `npm run build:server`, with only the files that it reads: no sources and no packages.
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { run, type ServerProcess, serve } from "../fixtures/program.ts";
import { ROOT } from "../fixtures/root.ts";
import { makeTemporaryDirectory } from "../fixtures/temporary-directory.ts";

const { path: home, remove } = makeTemporaryDirectory();
afterAll(remove);
const entry = join(home, "dist/start.js");
const variables = { QUINTET_DATA_DIR: join(home, "data"), QUINTET_DRAIN_DELAY_MS: "0" };
let key: string;

async function printed(line: string): Promise<string> {
  const { code, out, err } = await run(line, variables, entry);
  expect({ line, code, err }).toEqual({ line, code: 0, err: "" });
  return out;
}

beforeAll(async () => {
  execFileSync(process.execPath, ["scripts/build-server.ts"], { cwd: ROOT });
  const files = readdirSync(join(ROOT, "gen"), { withFileTypes: true }).filter((entry) => entry.isFile());
  for (const part of ["dist", "plans", "build/portal", "package.json", ...files.map(({ name }) => `gen/${name}`)]) {
    cpSync(join(ROOT, part), join(home, part), { recursive: true });
  }
  await printed("migrate --init");
  await printed("account create acme");
  await printed("subscription create acme farkle");
  key = /qk_live_\w+/.exec(await printed("key create acme --name bundle"))?.[0] ?? "";
});

async function responseOf({ origin }: ServerProcess, path: string, body?: object): Promise<readonly [number, unknown]> {
  const response = await fetch(`${origin}${path}`, {
    headers: { "x-gateway-key": key, ...(body && { "content-type": "application/json" }) },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  return [response.status, await response.json()];
}

const SCORE = expect.objectContaining({ score: 200 });

test.for([
  { threads: "one thread", workers: "1" },
  { threads: "two threads", workers: "2" },
])("a bundled server with $threads serves calls and documents, and drains", async ({ workers }) => {
  const server = await serve({ ...variables, QUINTET_WORKERS: workers }, entry);
  onTestFinished(() => server.signal("SIGKILL"));
  expect(
    await Promise.all([
      responseOf(server, "/farkle/v1/score?dice=1,1"),
      responseOf(server, "/quintet.farkle.v1.FarkleService/Score", { dice: [1, 1] }),
      responseOf(server, "/openapi.json"),
      responseOf(server, "/radio/v1/search"),
    ]),
  ).toEqual([
    [200, expect.objectContaining({ data: SCORE })],
    [200, SCORE],
    [200, expect.objectContaining({ openapi: expect.stringMatching(/^3\./) })],
    [402, expect.objectContaining({ success: false })],
  ]);
  const front = await fetch(`${server.origin}/`);
  expect([front.status, front.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  server.signal("SIGTERM");
  expect((await server.ended).code).toBe(0);
});
