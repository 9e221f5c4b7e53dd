// `npm run test:soak`: random bytes against a listener in its own process, for an hour or `--minutes N`. Fails if the listener ends, does
// not respond to a well-behaved caller within ten seconds, uses CPU when nobody sends, or grows. `--seed N` begins with that seed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { soakConnection } from "./connection.ts";
import { randomFrom } from "./random.ts";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "60" }, seed: { type: "string", default: "1" } } });
const AT_ONCE = 32;
const CHECK_INTERVAL_MS = 10_000;
const RESPONSE_TIMEOUT_MS = 10_000;
const GROWTH_MIB_MAX = 32;
/** After these the compiler and the heap have settled, which may take minutes on a busy machine. */
const SETTLED_CONNECTIONS = 50_000;
/** CPU seconds per second while nobody sends. */
const IDLE_CPU_MAX = 0.1;

const server = spawn(process.execPath, ["packages/http/test/soak/server.ts"], { stdio: ["ignore", "pipe", "inherit"] });
server.once("exit", (code, signal) => {
  if (!isDone) {
    fail(`the listener ended with ${code ?? signal}`);
  }
});
process.once("exit", () => server.kill());
let isDone = false;
const [line] = (await once(server.stdout, "data")) as [Buffer];
const { port } = JSON.parse(line.toString()) as { port: number };

function fail(what: string): never {
  process.stderr.write(`${what}; the seed was ${seed}\n`);
  process.exit(1);
}

const cpuSeconds = (): number => {
  const fields = readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
};
const residentMib = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]) / 1024;

async function checkWellBehavedCall(): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) }).catch(
    () => undefined,
  );
  if (response?.status !== 200) {
    fail("a well-behaved caller got no response");
  }
}

let seed = Number(values.seed);
let connections = 0;
const endMs = Date.now() + Number(values.minutes) * 60_000;
async function sendAlways(until: number): Promise<void> {
  while (Date.now() < until) {
    connections += 1;
    seed += 1;
    await soakConnection(port, randomFrom(seed));
  }
}

let firstMib: number | undefined;
while (Date.now() < endMs) {
  const until = Math.min(endMs, Date.now() + CHECK_INTERVAL_MS);
  await Promise.all([...Array.from({ length: AT_ONCE }, () => sendAlways(until)), checkWellBehavedCall()]);
  // The server notices the cut connections, and should then have nothing left to do.
  await wait(1000);
  const before = cpuSeconds();
  await wait(1000);
  const idleCpu = cpuSeconds() - before;
  const mib = residentMib();
  // A fast machine has settled before the first measurement.
  if (firstMib === undefined || connections < SETTLED_CONNECTIONS) {
    firstMib = mib;
  }
  process.stdout.write(`${connections} connections, ${mib.toFixed(0)} MiB, idle CPU ${(idleCpu * 100).toFixed(0)} %\n`);
  if (idleCpu > IDLE_CPU_MAX) {
    fail("the listener is busy though nobody sends");
  }
  if (mib - firstMib > GROWTH_MIB_MAX) {
    fail(`the listener has grown from ${firstMib.toFixed(0)} MiB to ${mib.toFixed(0)}`);
  }
}
isDone = true;
server.kill();
