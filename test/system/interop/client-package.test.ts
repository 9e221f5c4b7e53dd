// The npm package @quintet/client as its users get it: installed into an empty folder as docs/clients.md says, and called.
import { execFile, execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type DescMessage, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readPage } from "../../../scripts/docs/tables.ts";
import { operationIdOf } from "../../../scripts/openapi/recorded-calls.ts";
import { DATA_METHODS } from "../../fixtures/data-services.ts";
import { PATIENT_UPSTREAMS } from "../../fixtures/patient-upstreams.ts";
import { ROOT } from "../../fixtures/root.ts";
import { sampleInput, stationOf } from "../../fixtures/sample-calls.ts";
import { LARGEST_PLANS, type SandboxGateway, startSandboxGateway } from "../../fixtures/sandbox-gateway.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { examplesOf } from "../docs/examples.ts";
import { NPM_PACKAGE } from "./client-packages.ts";
import { type Scene, startScene } from "./scene.ts";

type Method = (request: object, options?: object) => Promise<unknown> & Partial<AsyncGenerator<unknown, void>>;

/** As much of the package as the tests call. */
interface Package {
  createQuintet(options: {
    readonly url: string;
    readonly key: string;
  }): Readonly<Record<string, Readonly<Record<string, Method>>>>;
  reasonOf(error: unknown): string | undefined;
}

const INSTALL_MS_MAX = 300_000;
const run = promisify(execFile);
const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

const directory = makeTemporaryDirectory();
let client: Package;

beforeAll(async () => {
  const [install = "no command"] = /\bnpm install --install-links PATH\/build\/client\b/.exec(readPage("docs/clients.md")) ?? [];
  writeFileSync(join(directory.path, "package.json"), '{ "private": true, "type": "module" }');
  const command = `${install.replace("PATH/build/client", NPM_PACKAGE)} --silent --no-audit --no-fund`;
  execFileSync("sh", ["-c", command], { cwd: directory.path });
  client = await import(pathToFileURL(join(directory.path, "node_modules/@quintet/client/index.js")).href);
}, INSTALL_MS_MAX);
afterAll(() => directory.remove());

// What is not as its type says: a field of the message, a date for a time, a number for an integer.
function faultsIn(value: unknown, { fields }: DescMessage): readonly string[] {
  return Object.entries(value as object).flatMap(([name, given]) => {
    const field = fields.find(({ localName }) => localName === name);
    const isRight = (one: unknown): boolean =>
      field?.message?.typeName === TimestampSchema.typeName ? one instanceof Date : typeof one !== "bigint";
    const values: readonly unknown[] = Array.isArray(given) ? given : [given];
    const inner =
      field?.message === undefined || values[0] instanceof Date ? [] : values.map((one) => faultsIn(one, field.message));
    return [...(field !== undefined && values.every(isRight) ? [] : [name]), ...inner.flat()];
  });
}

test("it says where it comes from, as npm's provenance requires", () => {
  const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
  const { version, repository } = read(join(ROOT, "package.json"));
  expect(read(join(directory.path, "node_modules/@quintet/client/package.json"))).toMatchObject({
    name: "@quintet/client",
    version,
    repository,
    publishConfig: { access: "public", provenance: true },
  });
});

test("its handwritten code is short", () => {
  const text = globSync("clients/typescript/*.ts", { cwd: ROOT })
    .map((file) => readFileSync(join(ROOT, file), "utf8"))
    .join("\n");
  const lines = text.split("\n").filter((line) => !/^\s*(?:\/\/.*|\/\*\*.*)?$/.test(line));
  expect(lines.length).toBeLessThan(170);
});

describe("in the sandbox", () => {
  const data = makeTemporaryDirectory();
  let servers: SandboxGateway;
  let key: string;
  beforeAll(async () => {
    servers = await startSandboxGateway(data.path, PATIENT_UPSTREAMS);
    key = (await servers.gateway.makeCustomer(LARGEST_PLANS)).secret;
  });
  afterAll(async () => {
    await servers.close();
    data.remove();
  });

  test("the program of its README has the right types, and prints what it should", async () => {
    const readme = readFileSync(join(directory.path, "node_modules/@quintet/client/README.md"), "utf8");
    const program = examplesOf(readme).find(({ language }) => language === "ts")?.text ?? "";
    const file = join(directory.path, "program.ts");
    writeFileSync(file, program);
    const types = ["--typeRoots", join(ROOT, "node_modules/@types"), "--types", "node"];
    const options = ["--noEmit", "--ignoreConfig", "--strict", "--module", "nodenext", "--target", "esnext", ...types];
    await run(join(ROOT, "node_modules/.bin/tsc"), [...options, file], { cwd: directory.path });
    const env = { ...process.env, QUINTET_URL: servers.gateway.origin, QUINTET_KEY: key };
    const { stdout, stderr } = await run(process.execPath, [file], { cwd: directory.path, env });
    expect({ lines: stdout.trim().split("\n"), stderr }).toEqual({
      lines: [
        "2500",
        "USD Coin",
        expect.stringMatching(/^coingecko:bitcoin \d+(\.\d+)? 2026-11-21T\d\d:\d\d:\d\d\.000Z$/),
        "INVALID_ARGUMENT",
      ],
      stderr: "",
    });
  });

  test.each(DATA_METHODS.map(({ desc }) => ({ id: operationIdOf(desc), desc })))("it calls $id", async ({ id, desc }) => {
    const quintet = client.createQuintet({ url: servers.gateway.origin, key });
    const service = Object.values(quintet).find((one) => lowerFirst(desc.name) in one);
    const uuid = await stationOf(servers.gateway.origin, { "x-gateway-key": key });
    const method = service?.[lowerFirst(desc.name)];
    const called = method?.(fromJson(desc.input, sampleInput(id, uuid) as JsonValue));
    const response = desc.methodKind === "server_streaming" ? (await called?.next?.())?.value : await called;
    await called?.return?.(undefined);
    expect(faultsIn(response, desc.output)).toEqual([]);
    expect(JSON.parse(JSON.stringify(response))).not.toEqual({});
  });
});

describe("when calls fail", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await startScene();
  });
  afterAll(() => scene.close());

  const attemptsOf = async (
    key: string,
    prepare: () => Promise<unknown> | undefined,
  ): Promise<{ reason: string | undefined; attempts: number }> => {
    await prepare();
    scene.relay.reset();
    const { tokenPrice } = client.createQuintet({ url: scene.relay.origin, key });
    const reason = await tokenPrice?.getPrices?.({ tokens: ["coingecko:solana"] }).then(() => undefined, client.reasonOf);
    return { reason, attempts: scene.relay.started };
  };

  test("it repeats a temporarily refused call as often as the service config says", async () => {
    const key = await scene.generateKey("slow");
    const spend = async (): Promise<void> => {
      while ((await scene.rest("/token-price/v1/price?tokens=coingecko:bitcoin", key)).error?.reason !== "RATE_LIMITED") {}
    };
    expect(await attemptsOf(key, spend)).toEqual({ reason: "RATE_LIMITED", attempts: 4 });
  });

  test("it does not repeat a call for which the month is used up, or without a key", async () => {
    const key = await scene.generateKey("small");
    const spend = () => scene.rest("/token-price/v1/price?tokens=coingecko:bitcoin", key);
    expect(await attemptsOf(key, spend)).toEqual({ reason: "QUOTA_EXCEEDED", attempts: 1 });
    expect(await attemptsOf("", () => undefined)).toEqual({ reason: "KEY_MISSING", attempts: 1 });
  });
});
