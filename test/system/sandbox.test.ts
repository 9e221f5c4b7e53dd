// `quintet sandbox` as people use it: a process that prints commands to paste, all of which are run.

import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { folderNameOf, SERVICE_NAMES } from "../../src/catalogue/service-names.ts";
import { CURL_IS_ABLE } from "../fixtures/curl.ts";
import { DEAD_UPSTREAMS } from "../fixtures/dead-upstreams.ts";
import { PATIENT_UPSTREAMS } from "../fixtures/patient-upstreams.ts";
import { type Running, run, start, type Variables } from "../fixtures/program.ts";
import { sampleCalls, stationOf } from "../fixtures/sample-calls.ts";
import { makeTemporaryDirectory, temporaryDirectory } from "../fixtures/temporary-directory.ts";

const startSandbox = (variables: Variables): Running =>
  start(["sandbox", "--control-port", "0"], { QUINTET_PORT: "0", ...variables });

const signIn = (origin: string, email: string): Promise<Response> =>
  fetch(`${origin}/account/v1/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password: "quintet sandbox" }),
  });

// Runs one printed line. Returns its output with one character for each byte.
function shell(line: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  execFile("sh", ["-c", line], { encoding: "latin1" }, (error, out, err) =>
    error ? reject(new Error(`${line}\n${err}`)) : resolve(out),
  );
  return promise;
}

const ROLL = {
  score: 2500,
  hot_dice: true,
  breakdown: [{ combination: "two_triplets", dice: [1, 1, 1, 5, 5, 5], points: 2500 }],
};
const RPC_ROLL = {
  score: ROLL.score,
  hotDice: ROLL.hot_dice,
  breakdown: [{ combination: "COMBINATION_TWO_TRIPLETS", dice: [1, 1, 1, 5, 5, 5], points: 2500 }],
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe("the sandbox", () => {
  const directory = makeTemporaryDirectory();
  const variables = { QUINTET_DATA_DIR: directory.path, ...PATIENT_UPSTREAMS };
  let sandbox: Running;
  let welcome: string;
  let origin: string;
  let key: string;
  let control: string;

  const fact = (name: string): string => new RegExp(`^  ${name} +(\\S+)`, "m").exec(welcome)?.[1] ?? "";
  const lineUnder = (heading: string): string => new RegExp(`^${heading}\n  (.*)$`, "m").exec(welcome)?.[1] ?? "";

  beforeAll(async () => {
    sandbox = startSandbox(variables);
    await sandbox.until(/^Failover: .*\n/m);
    welcome = sandbox.printed.out;
    key = fact("key");
    control = fact("control");
    origin = /serves at (\S+)/.exec(welcome)?.[1] ?? "";
  });
  afterAll(async () => {
    sandbox.signal("SIGTERM");
    const { code } = await sandbox.ended;
    directory.remove();
    expect(code).toBe(0);
  });

  test("prints its key, its URLs and a curl for each protocol", () => {
    const plain = welcome
      .replaceAll(origin, "ORIGIN")
      .replaceAll(key, "KEY")
      .replaceAll(control, "CONTROL")
      .replaceAll(directory.path, "DATA");
    expect(plain).toBe(`Quintet's sandbox serves at ORIGIN
Every upstream is a stand-in on this machine; responses are marked x-quintet-data: sandbox.

  key      KEY
  REST     ORIGIN/{${SERVICE_NAMES}}/v1/…
  RPC      ORIGIN/quintet.{${SERVICE_NAMES.map(folderNameOf)}}.v1.…Service/…
  OpenAPI  ORIGIN/openapi.json
  sign in  ORIGIN/app as demo@example.com, or as operator@example.com; the password is: quintet sandbox
  control  CONTROL   (make a stand-in misbehave)
  data     DATA   (QUINTET_DATA_DIR=DATA for the other commands)

REST
  curl -H 'x-gateway-key: KEY' 'ORIGIN/farkle/v1/score?dice=1,1,1,5,5,5'

Connect
  curl -H 'x-gateway-key: KEY' --json '{"dice":[1,1,1,5,5,5]}' ORIGIN/quintet.farkle.v1.FarkleService/Score

gRPC-Web
  printf '\\0\\0\\0\\0\\26%s' '{"dice":[1,1,1,5,5,5]}' > /tmp/roll && curl -s -H 'x-gateway-key: KEY' -H 'content-type: application/grpc-web+json' --data-binary @/tmp/roll ORIGIN/quintet.farkle.v1.FarkleService/Score | tr -d '\\0'

gRPC
  printf '\\0\\0\\0\\0\\26%s' '{"dice":[1,1,1,5,5,5]}' > /tmp/roll && curl -s --http2-prior-knowledge -H 'x-gateway-key: KEY' -H 'content-type: application/grpc+json' -H 'te: trailers' --data-binary @/tmp/roll ORIGIN/quintet.farkle.v1.FarkleService/Score | tr -d '\\0'

Failover: curl -X PUT -d '{"kind":"dead"}' CONTROL/radio-1   then   curl -H 'x-gateway-key: KEY' 'ORIGIN/radio/v1/search?tag=jazz&limit=3'
`);
    expect(key).toMatch(/^qk_test_[0-9A-Za-z]{38}$/);
  });

  test("shows Explore to visitors with a read-only key, which is the same at the next start", async () => {
    const page = await (await fetch(`${origin}/explore/farkle`)).text();
    const shown =
      /<data id="explore-key" hidden value="(qk_test_\w{38})" data-minute="120" data-day="2000"><\/data>/.exec(page)?.[1] ?? "";
    expect(shown).not.toBe(key);
    const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const call = (path: string, init: RequestInit = {}) =>
      fetch(`${origin}${path}`, { ...init, headers: { ...json, "x-gateway-key": shown } });
    expect((await call("/farkle/v1/score?dice=1")).status).toBe(200);
    expect((await call("/account/v1/keys")).status).toBe(401);
    const uuid = await stationOf(origin, { "x-gateway-key": key });
    expect((await call("/radio/v1/play", { method: "POST", body: JSON.stringify({ uuid }) })).status).toBe(403);
    expect((await call("/mcp", { method: "POST", body: "{}" })).status).toBe(403);
  });

  test("lets its customer and its operator sign in", async () => {
    const seen = [];
    for (const email of ["demo@example.com", "operator@example.com"]) {
      const signedIn = await signIn(origin, email);
      const { data } = (await signedIn.json()) as { data: { session: { token: string } } };
      const account = await fetch(`${origin}/account/v1/account`, { headers: { authorization: `Bearer ${data.session.token}` } });
      seen.push([signedIn.status, await account.json()]);
    }
    expect(seen).toMatchObject([
      [200, { data: { account: { name: "demo", email: "demo@example.com" } } }],
      [200, { data: { account: { name: "operator", email: "operator@example.com", operator: true } } }],
    ]);
  });

  test("responds to each operation, and marks responses as the sandbox's", async () => {
    const headers = { "x-gateway-key": key };
    // The token lists are read once the server is up. Calls wait for them, but on a busy machine not long enough for all.
    const unread = async (): Promise<string[]> => {
      const response = await fetch(`${origin}/token-list/v1/lists`, { headers });
      const { data } = (await response.json()) as { data: { results: { name: string; version?: string }[] } };
      return data.results.filter(({ version }) => version === undefined).map(({ name }) => name);
    };
    await expect.poll(unread).toEqual([]);
    // The same goes for eleven years of prices, which are read on the first call.
    await expect.poll(async () => (await fetch(`${origin}/bitcoin/v1/summary`, { headers })).status, { interval: 1000 }).toBe(200);
    const seen = [];
    const calls = sampleCalls(await stationOf(origin, headers));
    for (const { path, query } of calls) {
      const response = await fetch(`${origin}${path}?${new URLSearchParams(query)}`, { headers });
      seen.push({ path, status: response.status, data: response.headers.get("x-quintet-data") });
    }
    expect(seen).toEqual(calls.map(({ path }) => ({ path, status: 200, data: "sandbox" })));
  });

  describe.skipIf(!CURL_IS_ABLE)("does what it says when its lines are pasted:", () => {
    test("REST", async () => {
      expect(JSON.parse(await shell(lineUnder("REST")))).toEqual({
        data: { ...ROLL, farkle: false, dead_dice: [] },
        meta: { timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/), request_id: expect.stringMatching(UUID) },
        status: "ok",
        message: "Roll scored",
        success: true,
      });
    });

    test("Connect", async () => {
      expect(JSON.parse(await shell(lineUnder("Connect")))).toEqual(RPC_ROLL);
    });

    // `tr` removes the zero bytes of each frame's head, which leaves the length and the flag of the trailers.
    test("gRPC-Web", async () => {
      const [, length, json = "", trailers] = /^(.)(\{.*\})(.*)$/s.exec(await shell(lineUnder("gRPC-Web"))) ?? [];
      expect({ length: length?.charCodeAt(0), received: JSON.parse(json), trailers }).toEqual({
        length: json.length,
        received: RPC_ROLL,
        trailers: "\x80\x10grpc-status: 0\r\n",
      });
    });

    test("gRPC", async () => {
      const [length, ...json] = await shell(lineUnder("gRPC"));
      expect({ length: length?.charCodeAt(0), received: JSON.parse(json.join("")) }).toEqual({
        length: json.length,
        received: RPC_ROLL,
      });
    });

    test("failover", async () => {
      const [, kill = "", search = ""] = /^Failover: (.*) {3}then {3}(.*)$/m.exec(welcome) ?? [];
      expect(JSON.parse(await shell(kill))).toMatchObject({ name: "radio-1", misbehaviour: { kind: "dead" } });
      for (let i = 0; i < 3; i++) {
        expect(JSON.parse(await shell(search))).toMatchObject({ status: "ok", data: { count: 3 } });
      }
    });
  });
});

test("the sandbox's key survives a restart, is in a file for scripts, and is not valid on any other server", async () => {
  const directory = temporaryDirectory();
  const variables = { QUINTET_DATA_DIR: directory };
  const keys: string[] = [];
  const statuses: number[] = [];
  const score = (origin: string | undefined, key: string): Promise<Response> =>
    fetch(`${origin}/farkle/v1/score?dice=1`, { headers: { "x-gateway-key": key } });
  for (let starts = 0; starts < 2; starts++) {
    const sandbox = startSandbox(variables);
    const [, origin, key = ""] = await sandbox.until(/serves at (\S+).*?key +(\S+).*Failover: .*\n/s);
    keys.push(key);
    statuses.push((await score(origin, key)).status);
    sandbox.signal("SIGTERM");
    expect((await sandbox.ended).code).toBe(0);
  }
  const file = join(directory, "demo-key");
  expect(statuses).toEqual([200, 200]);
  expect(keys).toEqual([keys[0], keys[0]]);
  expect(readFileSync(file, "utf8")).toBe(`${keys[0]}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);

  const created = await run("key create demo", variables);
  expect(created.out).toMatch(/^ *qk_test_[0-9A-Za-z]{38}$/m);

  // A copy of the database alone is not recognised as a sandbox's.
  const copy = temporaryDirectory();
  copyFileSync(join(directory, "quintet.db"), join(copy, "quintet.db"));
  const server = start(["serve"], { ...DEAD_UPSTREAMS, QUINTET_DATA_DIR: copy, QUINTET_PORT: "0", QUINTET_WORKERS: "1" });
  const [, origin] = await server.until(/"origin":"([^"]+)"/);
  const response = await score(origin, keys[0] ?? "");
  expect([response.status, await response.json()]).toMatchObject([
    401,
    {
      message:
        "This is a sandbox key, qk_test_…, which this server does not accept. Send one of this server's keys, which begin with qk_live_.",
      error: { reason: "KEY_INVALID" },
    },
  ]);
  const signedIn = await signIn(origin ?? "", "operator@example.com");
  expect([signedIn.status, await signedIn.json()]).toMatchObject([401, { error: { reason: "SIGN_IN_FAILED" } }]);
  server.signal("SIGTERM");
  expect((await server.ended).code).toBe(0);
});

describe("the sandbox's accounts stay in the sandbox:", () => {
  const refusal = (text: string): object => ({ code: 6, out: "", err: `quintet: ${text}\n` });

  test("it does not start on a server's data directory, and does not change it", async () => {
    const directory = temporaryDirectory();
    const variables = { QUINTET_DATA_DIR: directory };
    expect((await run("migrate --init", variables)).code).toBe(0);
    expect(await run("sandbox --control-port 0", variables)).toEqual(
      refusal(
        `The data directory ${directory} belongs to a server. Everybody knows the password of the sandbox's accounts, so a sandbox does not create them there. ` +
          "Set QUINTET_DATA_DIR to another directory, or leave it out.",
      ),
    );
    expect((await run("account list --json", variables)).out).toBe('{\n  "accounts": []\n}\n');
  });

  test("it refuses a PostgreSQL database", async () => {
    expect(
      await run("sandbox --control-port 0", {
        QUINTET_DATA_DIR: temporaryDirectory(),
        QUINTET_DATABASE_URL: "postgres://127.0.0.1:1/quintet",
      }),
    ).toEqual(
      refusal(
        "Everybody knows the password of the sandbox's accounts, so a sandbox keeps them in its own directory and does not use a PostgreSQL database. " +
          "Start it without QUINTET_DATABASE_URL.",
      ),
    );
  });

  test("no server serves from its data directory, even after an aborted start", async () => {
    const directory = temporaryDirectory();
    const variables = { QUINTET_DATA_DIR: directory };
    const sandbox = startSandbox(variables);
    await expect.poll(() => existsSync(join(directory, "quintet.db"))).toBe(true);
    sandbox.signal("SIGKILL");
    await sandbox.ended;
    const { code, err } = await run("serve", { ...variables, QUINTET_PORT: "0" });
    expect({ code, err }).toEqual({
      code: 6,
      err:
        `quintet: The data directory ${directory} belongs to a sandbox. Everybody knows the password of the sandbox's accounts, so no other server uses them. ` +
        "Set QUINTET_DATA_DIR to another directory.\n",
    });
  });
});

test("a revoked key is not kept: the next start makes another", async () => {
  const variables = { QUINTET_DATA_DIR: temporaryDirectory() };
  const keys: string[] = [];
  for (let starts = 0; starts < 2; starts++) {
    const sandbox = startSandbox(variables);
    const [, key = ""] = await sandbox.until(/key +(\S+).*Failover: .*\n/s);
    keys.push(key);
    const { out } = await run("key list demo --json", variables);
    const { keys: listed } = JSON.parse(out) as { keys: { id: string; last_four: string }[] };
    const id = listed.find(({ last_four: lastFour }) => key.endsWith(lastFour))?.id;
    expect((await run(`key revoke ${id}`, variables)).code).toBe(0);
    sandbox.signal("SIGTERM");
    expect((await sandbox.ended).code).toBe(0);
  }
  expect(new Set(keys).size).toBe(2);
});

test.each(["0.0.0.0", "::", "192.0.2.7", "sandbox.example.com", "127.0.0.1.example.com"])(
  "a sandbox at %s, which others can reach, is refused without --allow-network",
  async (host) => {
    const dataDir = temporaryDirectory();
    expect(await run("sandbox --control-port 0", { QUINTET_HOST: host, QUINTET_DATA_DIR: dataDir })).toEqual({
      code: 6,
      out: "",
      err: `quintet: QUINTET_HOST is ${host}, which other machines can reach, and everybody knows the password of the sandbox's operator. Leave it out, or set it to 127.0.0.1; to admit other machines anyway, add --allow-network.\n`,
    });
    expect(readdirSync(dataDir)).toEqual([]);
  },
);

test("a refused start leaves the running sandbox's key valid", async () => {
  const variables = { QUINTET_DATA_DIR: temporaryDirectory() };
  const sandbox = startSandbox(variables);
  const [, origin = "", key = ""] = await sandbox.until(/serves at (\S+).*?key +(\S+).*Failover: .*\n/s);
  const { code, out } = await run("sandbox --control-port 0", { ...variables, QUINTET_PORT: new URL(origin).port });
  expect({ code, out }).toEqual({ code: 5, out: "" });

  const { status } = await fetch(`${origin}/farkle/v1/score?dice=1`, { headers: { "x-gateway-key": key } });
  expect(status).toBe(200);
  sandbox.signal("SIGTERM");
  expect((await sandbox.ended).code).toBe(0);
});

test("the demo key can be read as soon as the sandbox is ready, which supports passkeys", async () => {
  const dataDir = temporaryDirectory();
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as AddressInfo;
  free.close();
  await once(free, "close");
  const origin = `http://127.0.0.1:${port}`;
  const sandbox = startSandbox({ QUINTET_DATA_DIR: dataDir, QUINTET_PORT: String(port) });
  const isReady = () =>
    fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isReady, { interval: 5 }).toBe(true);
  const key = readFileSync(join(dataDir, "demo-key"), "utf8").trim();
  const { status } = await fetch(`${origin}/farkle/v1/score?dice=1`, { headers: { "x-gateway-key": key } });
  expect([key.slice(0, 8), status]).toEqual(["qk_test_", 200]);
  // Browsers create no passkeys for an IP address.
  expect(await (await fetch(`${origin}/app/account`)).text()).toContain(`<data id="passkeys" value="http://localhost:${port}"`);
  sandbox.signal("SIGTERM");
  expect((await sandbox.ended).code).toBe(0);
});

describe("the sandbox's control port", () => {
  test("is a port", async () => {
    expect(await run("sandbox --control-port 99999", { QUINTET_DATA_DIR: temporaryDirectory() })).toEqual({
      code: 2,
      out: "",
      err:
        'quintet: --control-port must not be "99999". ' +
        "A port is a whole number from 0 to 65535; 0 picks a free one.\n(add --help for usage)\n",
    });
  });

  test("is free", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    expect(await run(`sandbox --control-port ${port}`, { QUINTET_DATA_DIR: temporaryDirectory() })).toEqual({
      code: 6,
      out: "",
      err: `quintet: Cannot listen on 127.0.0.1, port ${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}. Set --control-port.\n`,
    });
  });
});
