// The command line and a server, as processes: what an operator does takes effect with the very next call, and a server starts, refuses to
// start and stops as it should.
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { compileRoutes } from "../../src/gateway/rest/routes.ts";
import { ACCOUNT_SERVICES, DATA_SERVICES, OPERATOR_SERVICES } from "../fixtures/data-services.ts";
import { DEAD_UPSTREAMS } from "../fixtures/dead-upstreams.ts";
import { DOCUMENT } from "../fixtures/openapi-document.ts";
import { PATIENT_UPSTREAMS } from "../fixtures/patient-upstreams.ts";
import { planFile, type TestPlan } from "../fixtures/plan-file.ts";
import { run, type ServerProcess, serve, start, type Variables } from "../fixtures/program.ts";
import { makeTemporaryDirectory, temporaryDirectory } from "../fixtures/temporary-directory.ts";

const plan = (name: string, callsPerMonth: number, priceMinor: number): TestPlan => ({
  name,
  callsPerMonth,
  requestsPerSecond: 1000,
  priceMinor,
});

const PLANS = planFile({ farkle: [plan("free", 10_000, 0), plan("starter", 20_000, 500), plan("pro", 30_000, 1000)] });

// Only the plan's size from the headers about limits: the rest depends on the machine's clock.
async function score(origin: string, key: string): Promise<{ status: number; reason: string; callsPerMonth: number | undefined }> {
  const response = await fetch(`${origin}/farkle/v1/score?dice=1`, { headers: { "x-gateway-key": key } });
  const body = (await response.json()) as { status: string; error?: { reason: string } };
  const quota = /"month";q=(\d+)/.exec(response.headers.get("ratelimit-policy") ?? "")?.[1];
  return {
    status: response.status,
    reason: body.error?.reason ?? body.status,
    callsPerMonth: quota === undefined ? undefined : Number(quota),
  };
}

const admitted = (callsPerMonth: number) => ({ status: 200, reason: "ok", callsPerMonth });
const refused = (status: number, reason: string) => ({ status, reason, callsPerMonth: undefined });

describe("what the command line changes applies from the very next call", () => {
  const directory = makeTemporaryDirectory();
  const variables: Variables = { QUINTET_DATA_DIR: directory.path, QUINTET_PLANS: join(directory.path, "plans.json") };
  let server: ServerProcess;
  let id = "";
  let secret = "";

  beforeAll(async () => {
    writeFileSync(join(directory.path, "plans.json"), PLANS);
    server = await serve(variables);
  });
  afterAll(async () => {
    server.signal("SIGTERM");
    await server.ended;
    directory.remove();
  });

  const json = async (line: string): Promise<{ id: string; secret: string; next: { id: string; secret: string } }> => {
    const { code, out, err } = await run(`${line} --json`, variables);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return JSON.parse(out);
  };

  test("an account, a subscription and a key are created, and the key is admitted", async () => {
    await json("account create acme");
    const created = await json("key create acme");
    expect(await score(server.origin, created.secret)).toEqual(refused(402, "SUBSCRIPTION_REQUIRED"));
    await json("subscription create acme farkle");
    expect(await score(server.origin, created.secret)).toEqual(admitted(10_000));
    ({ id, secret } = created);
  });

  // In this order: each line depends on the one before it.
  test.for([
    { line: "key disable ID", next: refused(401, "KEY_REVOKED") },
    { line: "key enable ID", next: admitted(10_000) },
    { line: "account suspend acme", next: refused(402, "SUBSCRIPTION_REQUIRED") },
    { line: "account resume acme", next: admitted(10_000) },
    { line: "subscription request acme farkle --plan starter", next: admitted(10_000) },
    { line: "subscription activate acme farkle", next: admitted(20_000) },
    { line: "subscription activate acme farkle --plan pro", next: admitted(30_000) },
    { line: "subscription cancel acme farkle", next: refused(402, "SUBSCRIPTION_REQUIRED") },
    { line: "subscription create acme farkle --plan starter", next: admitted(10_000) },
    { line: "subscription activate acme farkle", next: admitted(20_000) },
  ])("quintet $line", async ({ line, next }) => {
    await json(line.replace("ID", id));
    expect(await score(server.origin, secret)).toEqual(next);
  });

  test("a rotated key is admitted alongside its successor during its grace period, and no longer", async () => {
    const { next: second } = await json(`key rotate ${id} --grace 1h`);
    expect(await score(server.origin, secret)).toEqual(admitted(20_000));
    expect(await score(server.origin, second.secret)).toEqual(admitted(20_000));
    const { next: third } = await json(`key rotate ${second.id} --grace 0m`);
    expect(await score(server.origin, second.secret)).toEqual(refused(401, "KEY_EXPIRED"));
    expect(await score(server.origin, third.secret)).toEqual(admitted(20_000));
  });

  test("a revoked key is refused permanently", async () => {
    expect(await score(server.origin, secret)).toEqual(admitted(20_000));
    await json(`key revoke ${id}`);
    expect(await score(server.origin, secret)).toEqual(refused(401, "KEY_REVOKED"));
    const again = await run(`key enable ${id}`, variables);
    expect(again.code).toBe(4);
    expect(await score(server.origin, secret)).toEqual(refused(401, "KEY_REVOKED"));
  });

  test("a second server on the same data directory is refused, and the first one keeps serving", async () => {
    const second = await run("serve", { ...DEAD_UPSTREAMS, ...variables, QUINTET_PORT: "0", QUINTET_LOG_LEVEL: "silent" });
    expect(second).toEqual({
      code: 5,
      out: "",
      err:
        `quintet: A server is running on the data directory ${directory.path}. Stop it first, or name another directory with ` +
        "QUINTET_DATA_DIR.\n",
    });
    expect((await fetch(`${server.origin}/openapi.json`)).status).toBe(200);
  });
});

// As processes: a program that tries forever to create a directory can only be ended from outside.
describe.runIf(process.platform === "linux")("a data directory that cannot be created makes the start fail", () => {
  test.each(["/proc/quintet", "/proc/quintet/data"])("%s", async (dataDir) => {
    const server = start(["serve", "--init"], { ...DEAD_UPSTREAMS, QUINTET_DATA_DIR: dataDir });
    onTestFinished(() => server.signal("SIGKILL"));
    expect(await server.ended).toEqual({
      code: 5,
      out: "",
      err:
        `quintet: The data directory ${dataDir} cannot be used: ENOENT: no such file or directory, mkdir '/proc/quintet'. ` +
        "Check its permissions and the disk, or point QUINTET_DATA_DIR to another.\n",
    });
  });
});

test("everything that is wrong with the environment is reported at once", async () => {
  const dataDir = temporaryDirectory();
  const variables = {
    QUINTET_DATA_DIR: dataDir,
    QUINTET_PORT: "99999",
    QUINTET_PLANS: join(dataDir, "plans.json"),
    QUINTET_LOG_LEVEL: "loud",
    QUINTET_TLS_CERT: join(dataDir, "nobody.pem"),
    QUINTET_COINS_URL: "ftp://example.com",
    QUINTET_BITCOIN_PRICE_URLS: "coinbase",
    QUINTET_PROT: "8080",
  };
  expect(await run("serve", variables)).toEqual({
    code: 6,
    out: "",
    err: `quintet: The environment has 8 faults:
  QUINTET_PORT must be a whole number from 0 to 65535, not "99999"
  QUINTET_PLANS names "${dataDir}/plans.json": cannot be read: ENOENT: no such file or directory, open '${dataDir}/plans.json'
  QUINTET_LOG_LEVEL must be one of debug, info, warn, error, silent, not "loud"
  QUINTET_TLS_CERT names "${dataDir}/nobody.pem", which cannot be read (ENOENT)
  QUINTET_TLS_KEY must be set too, because QUINTET_TLS_CERT is
  QUINTET_COINS_URL must be an http or https URL; "ftp://example.com" is not one
  QUINTET_BITCOIN_PRICE_URLS must contain name=URL pairs separated by commas, with names from coinbase, kraken, binance, blockchain.com; "coinbase" is not one
  QUINTET_PROT is not a variable that Quintet knows; did you mean QUINTET_PORT?
`,
  });
});

test.each([{ workers: "1" }, { workers: "2" }])(
  "a port that is taken is reported before any upstream is called, with $workers serving",
  async ({ workers }) => {
    let requested = 0;
    const taken = createServer((_request, response) => {
      requested += 1;
      response.writeHead(500).end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const ended = await run("serve", {
      ...DEAD_UPSTREAMS,
      QUINTET_DATA_DIR: temporaryDirectory(),
      QUINTET_LOG_LEVEL: "silent",
      QUINTET_WORKERS: workers,
      QUINTET_PORT: String(port),
      // A server reads this one as early as it can.
      QUINTET_TOKEN_LISTS: `uniswap=http://127.0.0.1:${port}/list`,
    });
    expect({ ...ended, requested }).toEqual({
      code: 6,
      out: "",
      err: `quintet: Cannot listen on 127.0.0.1, port ${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}. Set QUINTET_HOST or QUINTET_PORT.\n`,
      requested: 0,
    });
  },
);

/** A server, and a call to it that waits for its upstream. */
interface CallInProgress {
  readonly server: ServerProcess;
  readonly call: Promise<Response>;
  /** Lets the upstream respond. */
  sendResponse(): void;
}

async function beginCall(): Promise<CallInProgress> {
  const upstream = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => {
    upstream.close();
    upstream.closeAllConnections();
  });
  await once(upstream, "listening");
  const coins = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const variables = {
    ...PATIENT_UPSTREAMS,
    QUINTET_DATA_DIR: temporaryDirectory(),
    QUINTET_COINS_URL: coins,
    QUINTET_DRAIN_MS: "600000",
  };
  await run("migrate", variables);
  await run("account create acme", variables);
  await run("subscription create acme token-price", variables);
  const { secret } = JSON.parse((await run("key create acme --json", variables)).out);
  const server = await serve(variables);

  const requested = once(upstream, "request");
  const call = fetch(`${server.origin}/token-price/v1/price?tokens=coingecko:bitcoin`, { headers: { "x-gateway-key": secret } });
  const [, held] = (await requested) as [unknown, ServerResponse];
  const price = { price: 90_000, symbol: "BTC", timestamp: Math.floor(Date.now() / 1000), confidence: 0.99 };
  return {
    server,
    call,
    sendResponse: () =>
      held.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ coins: { "coingecko:bitcoin": price } })),
  };
}

/** Resolves once the server's port is closed: it has started to stop. */
async function portClosed({ origin }: ServerProcess): Promise<void> {
  while (
    await fetch(`${origin}/openapi.json`).then(
      () => true,
      () => false,
    )
  ) {}
}

test("SIGTERM lets a call in progress finish, admits no new one, and exits with 0", async () => {
  const { server, call, sendResponse } = await beginCall();
  server.signal("SIGTERM");
  await portClosed(server);
  sendResponse();

  const response = await call;
  expect({ status: response.status, body: await response.json() }).toMatchObject({
    status: 200,
    body: { data: { results: [{ price: 90_000 }] } },
  });
  expect((await server.ended).code).toBe(0);
});

test.each([
  ["SIGTERM", "SIGINT"],
  ["SIGINT", "SIGTERM"],
  ["SIGTERM", "SIGTERM"],
] as const)("%s and then %s ends the server at once, with a call in progress", async (first, second) => {
  const { server, call } = await beginCall();
  const outcome = call.then(
    () => "answered",
    () => "cut",
  );
  server.signal(first);
  await portClosed(server);
  server.signal(second);
  expect({ call: await outcome, code: (await server.ended).code }).toEqual({ call: "cut", code: second });
});

describe("the reference", () => {
  test("quintet routes lists every REST path, with what it needs according to the document", async () => {
    const rows = [...DATA_SERVICES, ...ACCOUNT_SERVICES]
      .flatMap(({ methods }) => compileRoutes(methods).rows)
      .map(({ httpMethod, template, rpc, service }) => {
        const { security = DOCUMENT.security } = DOCUMENT.paths[template][httpMethod.toLowerCase()];
        const [scheme = "nothing"] = Object.keys(security[0] ?? {});
        return { method: httpMethod, path: template, needs: scheme.replace("gatewayKey", "key"), rpc, service };
      });
    const operators = OPERATOR_SERVICES.flatMap(({ methods }) => compileRoutes(methods).rows).map(
      ({ httpMethod, template, rpc, service }) => ({ method: httpMethod, path: template, needs: "operator", rpc, service }),
    );
    const sorted = (lines: readonly unknown[]): string[] => lines.map((line) => JSON.stringify(line)).toSorted();
    const { code, out } = await run("routes --json", {});
    expect({ code, routes: sorted(JSON.parse(out).routes) }).toEqual({ code: 0, routes: sorted([...rows, ...operators]) });

    const printed = (await run("routes", {})).out.trimEnd().split("\n");
    const cells = printed.map((line) => line.split(/ {2,}/));
    expect(cells[0]).toEqual(["METHOD", "PATH", "NEEDS", "RPC"]);
    expect(sorted(cells.slice(1))).toEqual(
      sorted([...rows, ...operators].map(({ method, path, needs, rpc }) => [method, path, needs, rpc])),
    );
  });

  test("quintet openapi prints the document", async () => {
    const document = readFileSync(join(import.meta.dirname, "../../gen/openapi.json"), "utf8");
    expect(await run("openapi", {})).toEqual({ code: 0, out: document, err: "" });
    const operators = readFileSync(join(import.meta.dirname, "../../gen/openapi-operator.json"), "utf8");
    expect(await run("openapi --operator", {})).toEqual({ code: 0, out: operators, err: "" });
  });
});
