// `npm run test:h2spec`: every case of h2spec against our listener, which has to pass all but the known exceptions, and against a bare
// node:http2 server to compare with.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installGoTool } from "../../fixtures/go-tool.ts";
import { type Case, readCases, summaryOf } from "./report.ts";
import { startBare, startOurs, type Target, type Transport } from "./targets.ts";

// The newest version that Go can install: later ones are tagged in a way that modules do not allow.
const H2SPEC = {
  module: "github.com/summerwind/h2spec",
  version: "v2.2.1+incompatible",
  command: "cmd/h2spec",
  pins: join(import.meta.dirname, "pins"),
};
/** It usually takes twenty seconds, most of them waiting for something that should not arrive. */
const RUN_MS_MAX = 600_000;
/** Attempts for a case that should pass: some are a race between h2spec's next frame and the response. */
const TRIES_MAX = 5;

// Without an HTTP/2 preface, this port treats a request as HTTP/1.1, and responds to it before it closes the connection.
const KNOWN: Readonly<Record<Transport, readonly string[]>> = { h2c: ["http2/3.5/2"], TLS: [] };

const h2spec = installGoTool(H2SPEC);
const folder = mkdtempSync(join(tmpdir(), "quintet-h2spec-"));
let reports = 0;

// Runs all of h2spec or only these cases. Throws if it does not end in time or leaves no report.
async function run({ name, transport, port }: Target, ...ids: readonly string[]): Promise<readonly Case[]> {
  reports += 1;
  const report = join(folder, `${reports}.xml`);
  const secure = transport === "TLS" ? ["--tls", "--insecure"] : [];
  const child = spawn(h2spec, ["--port", String(port), "--timeout", "2", "--junit-report", report, ...secure, ...ids], {
    stdio: "ignore",
    timeout: RUN_MS_MAX,
    killSignal: "SIGKILL",
  });
  const [, signal] = await once(child, "close");
  if (signal !== null) {
    throw new Error(`h2spec against ${name} (${transport}) had not ended after ${RUN_MS_MAX / 1000} s and was killed`);
  }
  return readCases(readFileSync(report, "utf8"));
}

// The cases that our listener fails in every attempt.
async function faultsOf(target: Target, cases: readonly Case[]): Promise<readonly Case[]> {
  let faults = cases.filter(({ id, outcome }) => outcome !== "passed" && !KNOWN[target.transport].includes(id));
  for (let tries = 1; tries < TRIES_MAX && faults.length > 0; tries += 1) {
    const again = await Promise.all(faults.map(({ id }) => run(target, id)));
    faults = faults.filter((_, index) => again[index]?.every(({ outcome }) => outcome !== "passed"));
  }
  return faults;
}

let failed = false;
async function compare(transport: Transport): Promise<void> {
  const bareTarget = await startBare(transport);
  const targets = await startOurs(transport);
  const [bare = [], ...ours] = await Promise.all([bareTarget, ...targets].map((target) => run(target)));
  process.stdout.write(`${transport}, ${bareTarget.name}: ${summaryOf(bare)}\n`);
  for (const [index, target] of targets.entries()) {
    const cases = ours[index] ?? [];
    const faults = await faultsOf(target, cases);
    process.stdout.write(`${transport}, ${target.name}: ${summaryOf(cases)}, ${KNOWN[transport].length} of them known\n`);
    for (const { id, title, text } of faults) {
      process.stdout.write(`FAILED: ${id} ${title}\n${text.trimEnd()}\n`);
    }
    failed ||= faults.length > 0 || bare.length === 0 || cases.length !== bare.length;
  }
}

await Promise.all([compare("h2c"), compare("TLS")]);
rmSync(folder, { recursive: true, force: true });
// The servers of the run are still listening.
process.exit(failed ? 1 : 0);
