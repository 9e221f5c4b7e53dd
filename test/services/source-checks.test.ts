import { expect, onTestFinished, test } from "vitest";
import { Environment } from "../../src/config/environment.ts";
import { createLog } from "../../src/runtime/log.ts";
import { startAllStandIns } from "../../src/sandbox/stand-ins/all-stand-ins.ts";
import type { Misbehaviour } from "../../src/sandbox/stand-ins/stand-in.ts";
import { readServiceConfigs, upstreamGroups } from "../../src/services/registry.ts";
import { checkSources, monitorSources } from "../../src/services/source-checks.ts";
import { createCountingRandomness } from "../fixtures/counting-randomness.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { startLoopbackServer } from "../upstream/loopback-server.ts";

async function startScene() {
  const clock = createManualClock({ nowMs: Date.parse("2026-11-21T12:00:00Z") });
  const { standIns, variables } = await startAllStandIns({ seed: 1, clock });
  onTestFinished(async () => {
    await Promise.all(standIns.map((standIn) => standIn.close()));
  });
  return { clock, standIns, variables };
}

const optionsWith = (clock: ReturnType<typeof createManualClock>) => ({
  outbound: { userAgent: "Quintet/test", connectTimeoutMs: 2000 },
  clock,
  randomness: createCountingRandomness(),
  log: createLog("silent"),
});

const groupsOf = (variables: Readonly<Record<string, string>>) => upstreamGroups(readServiceConfigs(new Environment(variables)));

test("every source that works says how much it has, and how old that is", async () => {
  const { clock, variables } = await startScene();
  const checks = await checkSources(groupsOf(variables), optionsWith(clock));
  expect(checks.filter(({ works }) => !works)).toEqual([]);
  const messages = Object.fromEntries(checks.map(({ service, name, message }) => [`${service} ${name}`, message]));
  expect(messages).toMatchObject({
    "radio directory": expect.stringMatching(/^\d+ stations in \d+ countries$/),
    "token-price prices": "a price of coingecko:bitcoin, 0 minutes old",
    "token-list uniswap": expect.stringMatching(/^\d+ tokens, of \d{4}-\d\d-\d\d$/),
    "bitcoin volume": "14 of the last 14 days, until 2026-11-20",
    "bitcoin prices": "14 of the last 14 days, until 2026-11-20",
  });
});

const answer = (status: number, body: string, type = "application/json") => ({ status, body, type });
const points = (days: number) =>
  JSON.stringify({
    status: "ok",
    values: Array.from({ length: 10 }, (_, index) => ({
      x: Date.UTC(2026, 10, 20 - days - index) / 1000,
      y: index === 0 ? 20_000_000 : 20_000_000 - index,
    })),
  });

// What a source that has moved, refuses us or stands still responds with. None of it is data that a service can use.
test.each([
  ...[301, 400, 401, 403, 404, 410, 429, 451, 500, 503].map((status) => answer(status, "{}")),
  answer(200, "<html></html>", "text/html"),
  answer(200, "{}"),
  answer(200, "[]"),
  answer(200, '{"coins":{}}'),
  answer(200, '{"coins":{"coingecko:bitcoin":{"price":1,"timestamp":1700000000,"symbol":"BTC"}}}'),
  answer(200, '{"status":"ok","values":[]}'),
  answer(200, points(5)),
  answer(200, '{"error":[],"result":{"XXBTZUSD":[],"last":0}}'),
])("a source that responds with $status and $body does not work, for any service", async ({ status, body, type }) => {
  const { clock, variables } = await startScene();
  const { origin } = await startLoopbackServer((_request, response) => {
    response.writeHead(status, { "content-type": type }).end(body);
  });
  const moved = Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, value.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, origin)]),
  );
  const checks = await checkSources(groupsOf(moved), optionsWith(clock));
  expect(checks.length).toBeGreaterThan(9);
  expect(checks.filter(({ works }) => works)).toEqual([]);
  expect(checks.filter((check) => check.origin !== origin || check.message === "")).toEqual([]);
});

test("sources are checked soon after the start and then every hour, and the latest results stay until the next", async () => {
  const { clock, standIns, variables } = await startScene();
  const monitor = monitorSources(groupsOf(variables), optionsWith(clock));
  const broken = () => [...new Set(monitor.latest.filter(({ works }) => !works).map(({ service }) => service))];
  expect(monitor.latest).toEqual([]);
  clock.advance(6000);
  await expect.poll(() => monitor.latest.length).toBeGreaterThan(9);
  expect(broken()).toEqual([]);
  const limiting: Misbehaviour = { kind: "limiting", retryAfterSeconds: 1 };
  for (const standIn of standIns.filter(({ name }) => name === "coins")) {
    standIn.misbehaviour = limiting;
  }
  clock.advance(30 * 60_000);
  expect(broken()).toEqual([]);
  clock.advance(36 * 60_000);
  await expect.poll(broken).toEqual(["token-price"]);
  monitor.close();
  expect(clock.pending).toBe(0);
});
