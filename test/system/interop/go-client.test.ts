// The Go module as its users get it: a program of another module that requires it.
import { execFile, execFileSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operationIdOf } from "../../../scripts/openapi/recorded-calls.ts";
import { DATA_METHODS } from "../../fixtures/data-services.ts";
import { DATA_OPERATIONS } from "../../fixtures/openapi-document.ts";
import { PATIENT_UPSTREAMS } from "../../fixtures/patient-upstreams.ts";
import { ROOT } from "../../fixtures/root.ts";
import { queryOf, sampleInput, stationOf } from "../../fixtures/sample-calls.ts";
import { LARGEST_PLANS, type SandboxGateway, startSandboxGateway } from "../../fixtures/sandbox-gateway.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { buildGoProgram } from "./client-packages.ts";
import { runProgram } from "./run-program.ts";
import { type Scene, startScene } from "./scene.ts";

const SETUP_MS_MAX = 600_000;
const run = promisify(execFile);
const directory = makeTemporaryDirectory();
const MODULE = join(ROOT, "clients/go");
const program = join(directory.path, "go-client");

beforeAll(() => buildGoProgram(readFileSync(join(import.meta.dirname, "go-client.go"), "utf8"), program), SETUP_MS_MAX);
afterAll(() => directory.remove());

const ran = (mode: string, environment: Readonly<Record<string, string>>, stdin: unknown = null): Promise<unknown[]> =>
  runProgram(program, [mode], { directory: directory.path, environment, stdin });

test("its code is formatted, and go vet finds nothing", () => {
  const copy = join(directory.path, "module");
  cpSync(MODULE, copy, { recursive: true });
  const go = (...args: readonly string[]): string => execFileSync("go", args, { cwd: copy, encoding: "utf8" });
  expect({ formatted: go("fmt", "./..."), found: go("vet", "./...") }).toEqual({ formatted: "", found: "" });
});

test("it says what is wrong with a URL", async () => {
  const found = await ran("wrong", { QUINTET_URL: "http://127.0.0.1", QUINTET_KEY: "" });
  expect(found).toEqual(
    ["api.example.com", "https://api.example.com/v1", "http://user@127.0.0.1"].map(
      (url) => `quintet: the URL must look like https://api.example.com, and is "${url}"`,
    ),
  );
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

  test("the program of its README prints what it should", async () => {
    const [, example = ""] = /^```go\n(.*?)^```$/ms.exec(readFileSync(join(MODULE, "README.md"), "utf8")) ?? [];
    const built = join(directory.path, "readme");
    buildGoProgram(example, built);
    const { stdout, stderr } = await run(built, { env: environment() });
    expect({ lines: stdout.trim().split("\n"), stderr }).toEqual({
      lines: [
        "2500",
        "USD Coin",
        expect.stringMatching(/^coingecko:bitcoin \S+ 2026-11-21 \d\d:\d\d:\d\d \+0000 UTC$/),
        "INVALID_ARGUMENT",
      ],
      stderr: "",
    });
  });

  test("it calls every method, with the responses of REST", async () => {
    const { origin } = servers.gateway;
    const headers = { "x-gateway-key": key };
    const uuid = await stationOf(origin, headers);
    const calls = DATA_METHODS.map(({ desc }) => {
      const id = operationIdOf(desc);
      return { id, desc, service: desc.parent.name.replace("Service", ""), method: desc.name, input: sampleInput(id, uuid) };
    });
    const stdin = calls.map(({ desc: _, ...call }) => call);
    const results = (await ran("call", environment(), stdin)) as readonly { readonly id: string; readonly result: unknown }[];
    const wanted: { readonly id: string; readonly result: unknown }[] = [];
    for (const { id, desc, input } of calls) {
      const path = DATA_OPERATIONS.find(({ get }) => get.operationId === id)?.path;
      if (desc.methodKind === "unary" && path !== undefined) {
        const response = await fetch(`${origin}${path}?${new URLSearchParams(queryOf(input))}`, { headers });
        wanted.push({ id, result: withoutZeros(((await response.json()) as { readonly data: unknown }).data) });
      }
    }
    const called = results.filter(({ id }) => wanted.some((one) => one.id === id));
    expect(called.map(({ id, result }) => ({ id, result: withoutZeros(result) }))).toEqual(wanted);
    expect(results.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
  });
});

// What Go leaves out, and times in one form.
function withoutZeros(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutZeros);
  }
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)) {
    return new Date(value).toISOString();
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const kept = Object.entries(value)
    .map(([name, one]) => [name, withoutZeros(one)] as const)
    .filter(([, one]) => one !== 0 && one !== "" && one !== false && !(Array.isArray(one) && one.length === 0));
  return Object.fromEntries(kept);
}

describe("when calls fail", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await startScene();
  });
  afterAll(() => scene.close());

  const price = "/token-price/v1/price?tokens=coingecko:bitcoin";
  const attemptsOf = async (key: string) => {
    scene.relay.reset();
    const [reason] = await ran("reason", { QUINTET_URL: scene.relay.origin, QUINTET_KEY: key });
    return { reason, attempts: scene.relay.started };
  };

  test("it repeats a temporarily refused call as often as the service config says", async () => {
    const key = await scene.generateKey("slow");
    while ((await scene.rest(price, key)).error?.reason !== "RATE_LIMITED") {}
    expect(await attemptsOf(key)).toEqual({ reason: "RATE_LIMITED", attempts: 4 });
  });

  test("it does not repeat a call for which the month is used up, or without a key", async () => {
    const key = await scene.generateKey("small");
    await scene.rest(price, key);
    expect(await attemptsOf(key)).toEqual({ reason: "QUOTA_EXCEEDED", attempts: 1 });
    expect(await attemptsOf("")).toEqual({ reason: "KEY_MISSING", attempts: 1 });
  });
});
