// The Python package quintet-client as its users get it: packed as a wheel, installed into an empty environment, and called.
import { execFile } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getOption } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { data_service } from "../../../gen/quintet/options/v1/options_pb.js";
import { operationIdOf } from "../../../scripts/openapi/recorded-calls.ts";
import { DATA_METHODS } from "../../fixtures/data-services.ts";
import { PATIENT_UPSTREAMS } from "../../fixtures/patient-upstreams.ts";
import { ROOT } from "../../fixtures/root.ts";
import { sampleInput, stationOf } from "../../fixtures/sample-calls.ts";
import { LARGEST_PLANS, type SandboxGateway, startSandboxGateway } from "../../fixtures/sandbox-gateway.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { installWheel } from "./client-packages.ts";
import { comparable } from "./openapi/comparable.ts";
import { runProgram } from "./run-program.ts";
import { type Scene, startScene } from "./scene.ts";

const INSTALL_MS_MAX = 600_000;
const STREAM = "TokenPriceService_WatchPrices";
const CALLER = join(import.meta.dirname, "python-client.py");
const YEAR_SECONDS = 365 * 24 * 3600;
const KINDS = ["sync", "async"];
const MYPY = "mypy==1.18.2";

const directory = makeTemporaryDirectory();
const python = join(directory.path, "venv/bin/python");

beforeAll(() => {
  installWheel(join(directory.path, "venv"), { extra: "[types]", others: [MYPY] });
}, INSTALL_MS_MAX);
afterAll(() => directory.remove());

const ran = (args: readonly string[], environment: Readonly<Record<string, string>>, stdin: unknown = null): Promise<unknown[]> =>
  runProgram(python, args, { directory: directory.path, environment, stdin });

const callsWith = (uuid: string) =>
  DATA_METHODS.map(({ desc, path }) => {
    const id = operationIdOf(desc);
    return {
      id,
      path,
      service: getOption(desc.parent, data_service).name.replaceAll("-", "_"),
      method: desc.name,
      input: sampleInput(id, uuid),
    };
  });

test("its handwritten code is short", () => {
  const lines = globSync("clients/python/**/*.py", { cwd: ROOT }).map(
    (file) => readFileSync(join(ROOT, file), "utf8").split("\n").length,
  );
  expect(lines.reduce((a, b) => a + b, 0)).toBeLessThan(200);
});

test.each(KINDS)("%s says what is wrong with a URL or a key", async (kind) => {
  const url = (text: string): string => `url must look like https://api.example.com, and is '${text}'`;
  expect(await ran([CALLER, "wrong", kind], {})).toEqual([
    url("api.example.com"),
    url("https://api.example.com/v1"),
    url("http://user@127.0.0.1"),
    "key must have printable ASCII characters only; is there a line break at its end?",
  ]);
});

test.each(KINDS)("%s calls have the deadlines of the service config", async (kind) => {
  const calls = callsWith("0c000000-0000-4000-8000-000000000000");
  const found = (await ran([CALLER, "deadlines", kind], {}, calls)) as { readonly id: string; readonly seconds: number | null }[];
  // The time left when the call reaches the server; gRPC rounds it up. A stream has no deadline, which grpcio reports as years.
  const isRight = (id: string, seconds: number): boolean => {
    const wanted = id.startsWith("FarkleService") ? 5 : 30;
    return id === STREAM ? seconds > YEAR_SECONDS : seconds > wanted - 2 && seconds < wanted + 0.2;
  };
  expect(found.filter(({ id, seconds }) => !isRight(id, seconds ?? Number.POSITIVE_INFINITY))).toEqual([]);
  expect(found.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
});

describe("in the sandbox", () => {
  const data = makeTemporaryDirectory();
  let servers: SandboxGateway;
  let key: string;
  const environment = () => ({ QUINTET_URL: servers.gateway.origin, QUINTET_KEY: key });
  beforeAll(async () => {
    servers = await startSandboxGateway(data.path, PATIENT_UPSTREAMS);
    key = (await servers.gateway.makeCustomer(LARGEST_PLANS)).secret;
  });
  afterAll(async () => {
    await servers.close();
    data.remove();
  });

  const readme = readFileSync(join(ROOT, "clients/python/README.md"), "utf8");
  const programs = [...readme.matchAll(/^```python\n(.*?)^```$/gms)].map(([, program = ""]) => program);
  const printed = ["2500", "USD Coin", expect.stringMatching(/^coingecko:bitcoin \d+(\.\d+)?$/)];
  test.each([
    { kind: "first", program: programs[0] ?? "", lines: [...printed, "INVALID_ARGUMENT"] },
    { kind: "asyncio", program: programs[1] ?? "", lines: printed },
  ])("the $kind program of its README passes mypy's strict checks, and prints what it should", async ({ program, lines }) => {
    const file = join(directory.path, "program.py");
    writeFileSync(file, program);
    writeFileSync(join(directory.path, "wrong.py"), program.replace("token.name", "token.nmae"));
    const checked = (name: string) =>
      ran(["-c", `import json, mypy.api as api; print(json.dumps(api.run(["--strict", "${name}"])))`], {});
    expect(await checked("program.py")).toEqual([["Success: no issues found in 1 source file\n", "", 0]]);
    expect(await checked("wrong.py")).toEqual([[expect.stringContaining('"Token" has no attribute "nmae"'), "", 1]]);
    const child = execFile(python, [file], { env: { PATH: process.env.PATH, ...environment() } });
    const [out, said] = await Promise.all([child.stdout, child.stderr].map((stream) => stream?.toArray()));
    expect({ lines: out?.join("").trim().split("\n"), said }).toEqual({ lines, said: [] });
  });

  test.each(KINDS)("%s calls every method, with the responses of Connect", async (kind) => {
    const { origin } = servers.gateway;
    const headers = { "x-gateway-key": key };
    const calls = callsWith(await stationOf(origin, headers));
    const wanted = calls
      .filter(({ id }) => id !== STREAM)
      .map(async ({ id, path, input }) => {
        const body = JSON.stringify(input);
        const response = await fetch(origin + path, {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          body,
        });
        return { id, result: await response.json() };
      });
    const results = (await ran([CALLER, "call", kind], environment(), calls)) as { readonly id: string; readonly result: object }[];
    expect(comparable(results.filter(({ id }) => id !== STREAM))).toEqual(comparable(await Promise.all(wanted)));
    expect(results.find(({ id }) => id === STREAM)?.result).toMatchObject({ results: [expect.any(Object), expect.any(Object)] });
    expect(results.length).toBe(DATA_METHODS.length);
  });
});

describe("when calls fail", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await startScene();
  });
  afterAll(() => scene.close());

  const price = "/token-price/v1/price?tokens=coingecko:bitcoin";
  const attemptsOf = async (kind: string, key: string) => {
    scene.relay.reset();
    const [reason] = await ran([CALLER, "reason", kind], { QUINTET_URL: scene.relay.origin, QUINTET_KEY: key });
    return { reason, attempts: scene.relay.started };
  };

  test.each(KINDS)("%s repeats a temporarily refused call as often as the service config says", async (kind) => {
    const key = await scene.generateKey("slow");
    while ((await scene.rest(price, key)).error?.reason !== "RATE_LIMITED") {}
    expect(await attemptsOf(kind, key)).toEqual({ reason: "RATE_LIMITED", attempts: 4 });
  });

  test.each(KINDS)("%s does not repeat a call for which the month is used up, or without a key", async (kind) => {
    const key = await scene.generateKey("small");
    await scene.rest(price, key);
    expect(await attemptsOf(kind, key)).toEqual({ reason: "QUOTA_EXCEEDED", attempts: 1 });
    expect(await attemptsOf(kind, "")).toEqual({ reason: "KEY_MISSING", attempts: 1 });
  });
});
