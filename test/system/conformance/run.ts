// `npm run test:conformance`: runs the Connect project's conformance runner against our listener, guard and both pipelines. Its protos come
// from the runner and are not kept. Arguments after `--` go to the runner, such as `--run "Timeouts/**" --trace`.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { goModuleFolder, installGoTool } from "../../fixtures/go-tool.ts";
import { hostServers } from "./host.ts";
import { IMAGE_PATH } from "./messages.ts";
import { readReport, type Verdict } from "./report.ts";

const RUNNER = { module: "connectrpc.com/conformance", version: "v1.0.6", command: "cmd/connectconformance" };
/** It usually takes half a minute. */
const RUN_MS_MAX = 900_000;

const here = (name: string): string => join(import.meta.dirname, name);

const runner = installGoTool(RUNNER);
mkdirSync(dirname(IMAGE_PATH), { recursive: true });
const protos = join(goModuleFolder(RUNNER), "proto");
execFileSync(here("../../../node_modules/.bin/buf"), ["build", protos, "--config", '{"version":"v2"}', "-o", IMAGE_PATH]);

const folder = mkdtempSync(join(tmpdir(), "quintet-conformance-"));
const socketPath = join(folder, "host");
const host = await hostServers(socketPath);

// Runs it and prints its report.
async function run(...chosen: readonly string[]): Promise<Verdict> {
  const options = ["--mode", "server", "--conf", here("config.yaml"), "--known-failing", `@${here("known-failing.txt")}`];
  const relay = [process.execPath, here("relay.ts"), socketPath];
  const startedMs = performance.now();
  const child = spawn(runner, [...options, ...chosen, "--", ...relay], { stdio: ["ignore", "pipe", "pipe"] });
  let late = false;
  const limit = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, RUN_MS_MAX);
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  clearTimeout(limit);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  const output = `${stdout}${stderr}`;
  const verdict = late ? { text: output, passed: false, overdue: [] } : readReport(output, status);
  process.stdout.write(`${verdict.text}${late ? "Killed, because it had not ended after" : "In"} ${seconds} s.\n`);
  return verdict;
}

let { passed, overdue } = await run(...process.argv.slice(2));
if (overdue.length > 0) {
  process.stdout.write("Only cases about time have failed. They run again, one at a time:\n");
  ({ passed } = await run("--parallel", "1", ...overdue.flatMap((name) => ["--run", name])));
}
host.close();
rmSync(folder, { recursive: true, force: true });
// A runner that was killed leaves its servers running.
process.exit(passed ? 0 : 1);
