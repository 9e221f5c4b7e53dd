// `npm run test:conformance`: the Connect project's own conformance runner against our listener, guard and both lanes. Its protos come
// with it and are never kept. Everything after `--` goes to the runner, such as `--run "Timeouts/**" --trace`.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { goModuleFolder, installGoTool } from "./go-tool.ts";
import { IMAGE_PATH } from "./messages.ts";
import { readReport } from "./report.ts";

const RUNNER = { module: "connectrpc.com/conformance", version: "v1.0.6", command: "cmd/connectconformance" };

const here = (name: string): string => join(import.meta.dirname, name);

const runner = installGoTool(RUNNER);
mkdirSync(dirname(IMAGE_PATH), { recursive: true });
const protos = join(goModuleFolder(RUNNER), "proto");
execFileSync(here("../../node_modules/.bin/buf"), ["build", protos, "--config", '{"version":"v2"}', "-o", IMAGE_PATH]);

const options = ["--mode", "server", "--conf", here("config.yaml"), "--known-failing", `@${here("known-failing.txt")}`];
const server = [process.execPath, here("server.ts")];
const { stdout, stderr, status } = spawnSync(runner, [...options, ...process.argv.slice(2), "--", ...server], {
  encoding: "utf8",
  maxBuffer: 256 * 1024 * 1024,
});
const { text, passed } = readReport(`${stdout}${stderr}`, status);
process.stdout.write(text);
process.exitCode = passed ? 0 : 1;
