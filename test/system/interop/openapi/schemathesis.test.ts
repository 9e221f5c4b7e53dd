// Schemathesis compares the served OpenAPI document with the server: it makes requests from the schemas, valid and invalid ones, and checks
// the statuses, content types, headers and bodies of the responses.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pythonEnvironment } from "../../../../scripts/python-environment.ts";
import { SERVICE_NAMES } from "../../../../src/catalogue/service-names.ts";
import { startSandbox } from "../../../../src/sandbox/sandbox.ts";
import { advanceTime, type Gateway, START_MS, startGateway } from "../../../fixtures/gateway.ts";
import { createManualClock } from "../../../fixtures/manual-clock.ts";
import { DATA_PATHS } from "../../../fixtures/openapi-document.ts";
import { makeTemporaryDirectory } from "../../../fixtures/temporary-directory.ts";

const FILES = join(import.meta.dirname, "schemathesis");
const REQUIREMENTS = join(FILES, "requirements.txt");
const SEED = "1";
const EXAMPLES_MAX = "3";
const INSTALL_MS_MAX = 600_000;
const RUN_MS_MAX = 600_000;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
/** A stream does not end, and the tool reads every response to its end. */
const STREAM = "/token-price/v1/watch";

const clock = createManualClock({ nowMs: START_MS });
const directory = makeTemporaryDirectory();
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
let gateway: Gateway;
let programs: string;

beforeAll(async () => {
  programs = pythonEnvironment("schemathesis", REQUIREMENTS);
  sandbox = await startSandbox({ clock, controlPort: 0 });
  gateway = await startGateway({ variables: sandbox.variables, clock });
}, INSTALL_MS_MAX);
afterAll(async () => {
  await advanceTime(clock, gateway.close());
  await sandbox.close();
  directory.remove();
});

test("the document and the server agree on the data operations", { timeout: RUN_MS_MAX }, async () => {
  const { secret } = await gateway.makeCustomer(Object.fromEntries(SERVICE_NAMES.map((service) => [service, "free"])));
  const paths = Object.keys(DATA_PATHS).filter((path) => path !== STREAM);
  const operations = paths.reduce((sum, path) => sum + Object.keys(DATA_PATHS[path] ?? {}).length, 0);
  // One worker: Python 3.11 counts how deeply syntax trees nest for all threads together, and fails if two make one at the same time.
  const args = [
    ...["--config-file", join(FILES, "schemathesis.toml"), "run", `${gateway.origin}/openapi.json`],
    ...["--header", `x-gateway-key: ${secret}`, "--phases", "examples,coverage,fuzzing", "--continue-on-failure"],
    ...["--seed", SEED, "--max-examples", EXAMPLES_MAX, "--generation-database", "none", "--workers", "1", "--no-color"],
    ...paths.flatMap((path) => ["--include-path", path]),
  ];
  const env = { ...process.env, SCHEMATHESIS_HOOKS: join(FILES, "hooks.py") };
  const limits = { timeout: RUN_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX };
  const printed = await promisify(execFile)(join(programs, "schemathesis"), args, { cwd: directory.path, env, ...limits }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
  );
  expect(printed.slice(Math.max(0, printed.indexOf("== FAILURES ==")))).not.toMatch(/\d+ (failure|error)s?\b/);
  expect(printed).toContain(`Tested: ${operations}\n`);
  expect(printed).toMatch(/Test cases:\n {2}[1-9]\d{3,} generated, [1-9]\d{3,} passed/);
});
