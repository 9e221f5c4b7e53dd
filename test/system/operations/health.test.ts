// Health and readiness as orchestrators, meshes and clients see them, over sockets.
import { Worker } from "node:worker_threads";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Health } from "../../../gen/grpc/health/v1/health_pb.js";
import { type Gateway, type GatewayOptions, START_MS, startGateway } from "../../fixtures/gateway.ts";
import { createManualClock, type ManualClock } from "../../fixtures/manual-clock.ts";
import { sharedClock, sharedTime } from "../../workers/clock-of-threads.ts";
import type { WorkerData } from "../../workers/worker.ts";
import { HEALTH_CLIENTS } from "./clients.ts";

const FARKLE = "quintet.farkle.v1.FarkleService";
// Every upstream is dead. Only the token list service needs its upstream before the first call.
const STATUSES = {
  "": "SERVING",
  "quintet.account.v1.AccountService": "SERVING",
  "quintet.account.v1.BillingService": "SERVING",
  "quintet.account.v1.KeyService": "SERVING",
  "quintet.account.v1.MemberService": "SERVING",
  "quintet.account.v1.ProfileService": "SERVING",
  "quintet.account.v1.SignInService": "SERVING",
  "quintet.account.v1.StatusService": "SERVING",
  "quintet.account.v1.UsageService": "SERVING",
  "quintet.account.v1.WebhookService": "SERVING",
  "quintet.operator.v1.OperatorService": "SERVING",
  "quintet.radio.v1.RadioService": "SERVING",
  "quintet.tokenprice.v1.TokenPriceService": "SERVING",
  "quintet.tokenlist.v1.TokenListService": "NOT_SERVING",
  "quintet.bitcoin.v1.BitcoinService": "SERVING",
  [FARKLE]: "SERVING",
};

const probe = async (gateway: Gateway, path: string, method = "GET"): Promise<unknown[]> => {
  const response = await fetch(gateway.origin + path, { method });
  return [response.status, response.headers.get("cache-control"), await response.text()];
};

describe("while the server serves", () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ plans: { farkle: [{ name: "free", callsPerMonth: 1, requestsPerSecond: 100 }] } });
  });
  afterAll(() => gateway.close());

  describe.each(HEALTH_CLIENTS)("$name", ({ check, watch }) => {
    test("gets the status of each service by name: one with a failing upstream does not affect the others", async () => {
      const names = Object.keys(STATUSES);
      const seen = await Promise.all(names.map(async (name) => [name, await check(gateway.origin, name)]));
      expect(Object.fromEntries(seen)).toEqual(STATUSES);
    });

    test("learns that a service does not exist: Check fails, and Watch continues", async () => {
      expect(await check(gateway.origin, "quintet.Nothing")).toBe("NotFound");
      const statuses = watch(gateway.origin, "quintet.Nothing");
      expect(await statuses.next()).toEqual({ done: false, value: "SERVICE_UNKNOWN" });
    });
  });

  test("List has all services", async () => {
    const client = createClient(Health, createConnectTransport({ baseUrl: gateway.origin }));
    const { statuses } = await client.list({});
    const names = { 1: "SERVING", 2: "NOT_SERVING" } as Record<number, string>;
    expect(Object.fromEntries(Object.entries(statuses).map(([name, { status }]) => [name, names[status]]))).toEqual(STATUSES);
  });

  test("sending a key is not charged", async () => {
    const { secret } = await gateway.makeCustomer({ farkle: "free" });
    const headers = { "x-gateway-key": secret, "content-type": "application/json" };
    for (let call = 0; call < 3; call += 1) {
      const response = await fetch(`${gateway.origin}/grpc.health.v1.Health/Check`, { method: "POST", headers, body: "{}" });
      expect([response.status, await response.text(), response.headers.get("ratelimit")]).toEqual([
        200,
        '{"status":"SERVING"}',
        null,
      ]);
    }
    const score = (): Promise<Response> => fetch(`${gateway.origin}/farkle/v1/score?dice=1`, { headers });
    expect([(await score()).status, (await score()).status]).toEqual([200, 429]);
  });

  test("a request longer than any service name is refused", async () => {
    const { body, headers } = {
      body: JSON.stringify({ service: "x".repeat(5000) }),
      headers: { "content-type": "application/json" },
    };
    const response = await fetch(`${gateway.origin}/grpc.health.v1.Health/Check`, { method: "POST", headers, body });
    expect([response.status, await response.json()]).toMatchObject([429, { code: "resource_exhausted" }]);
    const watch = await HEALTH_CLIENTS[0]?.watch(gateway.origin, "x".repeat(5000)).next();
    expect(watch).toEqual({ done: false, value: "ResourceExhausted" });
  });

  test.each([
    ["/livez", "GET", 200, '{"status":"live"}\n'],
    ["/readyz", "GET", 200, '{"status":"ready","store":"embedded"}\n'],
    ["/readyz", "HEAD", 200, ""],
  ])("%s responds to %s with %i", async (path, method, status, body) => {
    expect(await probe(gateway, path, method)).toEqual([status, "no-store", body]);
  });

  test("a probe accepts no other method", async () => {
    const response = await fetch(`${gateway.origin}/readyz`, { method: "POST" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});

test("a network that checks too fast is refused, and its probes are not", async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const check = async (): Promise<string> => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${gateway.origin}/grpc.health.v1.Health/Check`, { method: "POST", headers, body: "{}" });
    const body = (await response.json()) as { status?: string; code?: string };
    return body.status ?? body.code ?? "";
  };
  const seen: string[] = [];
  for (let call = 0; call < 201; call += 1) {
    seen.push(await check());
  }
  expect([new Set(seen.slice(0, 200)), seen[200]]).toEqual([new Set(["SERVING"]), "resource_exhausted"]);
  expect(await probe(gateway, "/readyz")).toEqual([200, "no-store", '{"status":"ready","store":"embedded"}\n']);
  gateway.clock.advance(5);
  expect([await check(), await check()]).toEqual(["SERVING", "resource_exhausted"]);
});

describe("when the server is stopped", () => {
  const DELAY_MS = 15_000;

  interface Scene {
    readonly gateway: Gateway;
    readonly clock: ManualClock;
    /** Sends it the signal to stop. */
    stop(): void;
    /** Advances the clock until it has stopped. */
    untilStopped(): Promise<void>;
  }

  // A gateway whose clock the test moves, even while it stops.
  async function start(options: GatewayOptions = {}): Promise<Scene> {
    const clock = createManualClock({ nowMs: START_MS });
    const gateway = await startGateway({ clock, ...options });
    let stopping: Promise<void> | undefined;
    const stop = (): Promise<void> => {
      stopping ??= gateway.close();
      return stopping;
    };
    const untilStopped = async (): Promise<void> => {
      let isStopped = false;
      const stopped = stop().finally(() => {
        isStopped = true;
      });
      while (!isStopped) {
        clock.advance(1000);
        await new Promise(setImmediate);
      }
      await stopped;
    };
    onTestFinished(untilStopped);
    return { gateway, clock, stop: () => void stop(), untilStopped };
  }

  test("it reports that first, and keeps serving for as long as balancers take to notice", async () => {
    const { gateway, clock, stop, untilStopped } = await start({
      variables: { QUINTET_DRAIN_DELAY_MS: String(DELAY_MS) },
      plans: { farkle: [{ name: "free", callsPerMonth: 9, requestsPerSecond: 9 }] },
    });
    const { secret } = await gateway.makeCustomer({ farkle: "free" });
    stop();
    await expect
      .poll(() => probe(gateway, "/readyz"))
      .toEqual([503, "no-store", '{"status":"not ready","reason":"draining","store":"embedded"}\n']);
    expect(await probe(gateway, "/livez")).toEqual([200, "no-store", '{"status":"live"}\n']);
    clock.advance(DELAY_MS - 1);
    for (const { check } of HEALTH_CLIENTS) {
      expect(await check(gateway.origin, FARKLE)).toBe("NOT_SERVING");
    }
    const score = await fetch(`${gateway.origin}/farkle/v1/score?dice=1`, { headers: { "x-gateway-key": secret } });
    expect(score.status).toBe(200);
    clock.advance(1);
    await untilStopped();
    await expect(fetch(`${gateway.origin}/livez`)).rejects.toThrow("fetch failed");
  });

  describe.each(HEALTH_CLIENTS)("$name", ({ watch }) => {
    test("learns of it before its stream ends, even without a delay", async () => {
      const { gateway, stop } = await start({ variables: { QUINTET_DRAIN_MS: "60000" } });
      const statuses = watch(gateway.origin, "");
      const seen = [(await statuses.next()).value];
      stop();
      for await (const status of statuses) {
        seen.push(status);
      }
      expect(seen).toEqual(["SERVING", "NOT_SERVING", "Unavailable"]);
    });
  });

  test("watchers on all threads learn of it", async () => {
    const time = sharedTime();
    const gateway = await startGateway({
      clock: sharedClock(time),
      variables: { QUINTET_WORKERS: "2", QUINTET_DRAIN_MS: "60000" },
      startThread(data) {
        const workerData: WorkerData = { data, time };
        return new Worker(new URL("../../workers/worker.ts", import.meta.url), { workerData });
      },
    });
    const [grpcJs] = HEALTH_CLIENTS;
    const watchers = Array.from({ length: 8 }, () => grpcJs?.watch(gateway.origin, FARKLE) as AsyncGenerator<string>);
    const seen = await Promise.all(watchers.map(async (each) => [(await each.next()).value]));
    const closing = gateway.close();
    await Promise.all(
      watchers.map(async (each, at) => {
        for await (const status of each) {
          seen[at]?.push(status);
        }
      }),
    );
    await closing;
    expect(seen).toEqual(watchers.map(() => ["SERVING", "NOT_SERVING", "Unavailable"]));
  });
});
