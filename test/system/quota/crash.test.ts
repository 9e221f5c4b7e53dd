// The month's quota survives a sudden death of the server: killed at random moments under load and restarted, it never exceeds the quota,
// and loses no more calls than it had leased.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { leaseMax } from "../../../src/guard/quota/lease-size.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { seeded } from "../../../src/sandbox/stand-ins/seeded.ts";
import { planFile } from "../../fixtures/plan-file.ts";
import { run, type ServerProcess, serve, type Variables } from "../../fixtures/program.ts";
import { temporaryDirectory } from "../../fixtures/temporary-directory.ts";
import type { Client } from "../matrix/client.ts";
import { CLIENTS } from "../matrix/clients.ts";
import { tally, verdictOf } from "./verdict.ts";

// Set the variable to repeat a run.
const SEED = Number(process.env.QUINTET_TEST_SEED ?? Math.floor(systemRandomness.unit() * 2 ** 32));
const KILLS = 3;
const CALLS_PER_MONTH = 1000;
const CALLERS_PER_CLIENT = 2;

const PLAN = { name: "free", callsPerMonth: CALLS_PER_MONTH, requestsPerSecond: 10_000 };

async function makeCustomer(variables: Variables): Promise<string> {
  await run("migrate", variables);
  await run("account create acme", variables);
  await run("subscription create acme farkle", variables);
  return JSON.parse((await run("key create acme --json", variables)).out).secret;
}

// Makes a call, and retries it if asked to: on a busy machine the store takes longer than a caller may wait.
async function verdictOfCall(load: Load, client: Client): Promise<string> {
  const seen = await client.call({ gateway: load.server, key: load.key, dice: [1], method: "Score" }).catch(String);
  const outcome = typeof seen === "string" ? seen : verdictOf(client, seen);
  return outcome === "LIMITS_UNAVAILABLE" && !load.isKilled ? verdictOfCall(load, client) : outcome;
}

// Calls until the month is used up or the server is dead. A call is `lost` if the server died before it responded.
async function callOn(load: Load, client: Client): Promise<string[]> {
  const verdicts: string[] = [];
  for (let verdict = "admitted"; verdict === "admitted"; verdicts.push(verdict)) {
    const outcome = await verdictOfCall(load, client);
    verdict = outcome !== "admitted" && load.isKilled ? "lost" : outcome;
    if (outcome === "admitted") {
      load.admitted++;
      if (load.admitted === load.killAfter) {
        load.isKilled = true;
        load.server.signal("SIGKILL");
      }
    }
  }
  return verdicts;
}

interface Load {
  readonly server: ServerProcess;
  readonly key: string;
  /** After how many admitted calls the server is killed. */
  readonly killAfter: number;
  admitted: number;
  isKilled: boolean;
}

// One life of the server under load from every protocol.
async function serveUntilKilled(variables: Variables, key: string, killAfter: number): Promise<Record<string, number>> {
  const server = await serve(variables);
  const load: Load = { server, key, killAfter, admitted: 0, isKilled: false };
  const callers = CLIENTS.flatMap((client) => Array.from({ length: CALLERS_PER_CLIENT }, () => callOn(load, client)));
  const verdicts = (await Promise.all(callers)).flat();
  server.signal("SIGTERM");
  const { code } = await server.ended;
  expect(code).toBe(killAfter === Number.POSITIVE_INFINITY ? 0 : "SIGKILL");
  return tally(verdicts);
}

test(`killed ${KILLS} times at random moments, it admits at most the quota and loses at most a lease each time (QUINTET_TEST_SEED=${SEED})`, async () => {
  const dataDir = temporaryDirectory();
  const variables = { QUINTET_DATA_DIR: dataDir, QUINTET_PLANS: join(dataDir, "plans.json") };
  writeFileSync(variables.QUINTET_PLANS, planFile({ farkle: [PLAN] }));
  const key = await makeCustomer(variables);
  const random = seeded(SEED);
  const callers = CLIENTS.length * CALLERS_PER_CLIENT;
  let admitted = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const seen = await serveUntilKilled(variables, key, 1 + Math.floor(random() * (CALLS_PER_MONTH / (KILLS + 2))));
    // Each caller has one call in progress when the server dies.
    expect(seen).toEqual({ admitted: expect.any(Number), lost: callers });
    admitted += seen.admitted ?? 0;
  }
  const last = await serveUntilKilled(variables, key, Number.POSITIVE_INFINITY);
  expect(last).toEqual({ admitted: expect.any(Number), QUOTA_EXCEEDED: callers });
  admitted += last.admitted ?? 0;

  // Each call in progress may have been admitted without its caller knowing.
  const held = leaseMax(PLAN);
  expect(admitted).toBeLessThanOrEqual(CALLS_PER_MONTH);
  expect(admitted).toBeGreaterThanOrEqual(CALLS_PER_MONTH - KILLS * (held + callers));
});
