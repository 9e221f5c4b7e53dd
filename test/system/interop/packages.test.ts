// The packages of packages/ as others get them: packed, installed from the tarball into an empty folder, with the code of their READMEs.
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { KeyFormat, SqliteStore } from "@quintet/guard";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { installGoTool } from "../../fixtures/go-tool.ts";
import { ROOT } from "../../fixtures/root.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { ElizaService } from "../../gen/eliza/v1/eliza_pb.js";
import { examplesOf } from "../docs/examples.ts";
import { GRPCURL } from "./grpcurl.ts";

const INSTALL_MS_MAX = 300_000;
const NODES = ["24", "26"];
const run = promisify(execFile);
const built = makeTemporaryDirectory();
const project = makeTemporaryDirectory();

/** The code of a package's README. */
const programOf = (name: string): string => {
  const readme = readFileSync(join(project.path, `node_modules/@quintet/${name}/README.md`), "utf8");
  return examplesOf(readme).find(({ language }) => language === "ts")?.text ?? "";
};

beforeAll(() => {
  execFileSync(process.execPath, ["scripts/build-packages.ts", built.path], { cwd: ROOT });
  const npm = (...args: readonly string[]): string => execFileSync("npm", args, { cwd: project.path, encoding: "utf8" });
  writeFileSync(join(project.path, "package.json"), '{ "private": true, "type": "module" }');
  const tarballs = readdirSync(built.path).map((name) => npm("pack", "--silent", join(built.path, name)).trim());
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const servers = ["@connectrpc/connect-node", "fastify"].map((name) => `${name}@${devDependencies[name]}`);
  npm("install", "--silent", "--no-audit", "--no-fund", ...servers, ...tarballs);
  // What a user of Connect has generated.
  cpSync(join(ROOT, "test/gen/eliza"), join(project.path, "gen/eliza"), { recursive: true });
  cpSync(join(ROOT, "gen/google/api"), join(project.path, "gen/google/api"), { recursive: true });
  const generated = join(project.path, "gen/eliza/v1/eliza_pb.js");
  writeFileSync(generated, readFileSync(generated, "utf8").replace(/"[./]+\/gen\/google/, '"../../google'));
}, INSTALL_MS_MAX);
afterAll(() => {
  built.remove();
  project.remove();
});

test.each(readdirSync(join(ROOT, "packages")))("%s has the product's version, and only what its users need", (name) => {
  const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
  const { version } = read(join(ROOT, "package.json"));
  const installed = join(project.path, "node_modules/@quintet", name);
  expect(read(join(installed, "package.json"))).toMatchObject({
    name: `@quintet/${name}`,
    version,
    repository: { directory: `packages/${name}` },
    publishConfig: { access: "public", provenance: true },
  });
  const files = globSync("**/*.*", { cwd: installed });
  expect(files.filter((file) => !/^(?:dist\/.*\.(?:js|d\.ts)|package\.json|README\.md)$/.test(file))).toEqual([]);
});

test.each(readdirSync(join(ROOT, "packages")))("the code of the README of %s has the right types", async (name) => {
  const file = join(project.path, `${name}.ts`);
  writeFileSync(file, programOf(name));
  const types = ["--typeRoots", join(ROOT, "node_modules/@types"), "--types", "node"];
  const options = ["--noEmit", "--ignoreConfig", "--strict", "--module", "nodenext", "--target", "esnext", ...types];
  await run(join(ROOT, "node_modules/.bin/tsc"), [...options, file], { cwd: project.path });
});

/** Starts the code of a README, and returns the address that it prints first. */
const started = (name: string, node: string, edit = (program: string) => program): Promise<string> =>
  startedFile(name, node, edit(programOf(name)));

/** Starts a program in the project, and returns the address that it prints first. */
async function startedFile(name: string, node: string, program: string): Promise<string> {
  const file = join(project.path, `${name}.ts`);
  writeFileSync(file, program);
  const child = spawn("npm", ["exec", "--yes", "--silent", `--package=node@${node}`, "--", "node", file], {
    cwd: project.path,
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  onTestFinished(() => void process.kill(-(child.pid as number), "SIGKILL"));
  const [text] = (await once(child.stdout, "data")) as [Buffer];
  // Its origin, or what server.address() returns.
  return `http://127.0.0.1:${/(?:127\.0\.0\.1:|port: )(\d+)/.exec(text.toString())?.[1]}`;
}

const curl = async (...args: readonly string[]): Promise<string> => (await run("curl", ["--silent", ...args])).stdout;

/** Calls Say with grpcurl, and returns what it prints, of errors too. */
async function grpcurl(origin: string, ...options: readonly string[]): Promise<string> {
  const imports = [join(ROOT, "test/proto"), join(ROOT, "third_party")].flatMap((path) => ["-import-path", path]);
  const call = [...imports, "-proto", "eliza/v1/eliza.proto", "-d", '{"sentence":"hi"}', origin.slice("http://".length)];
  const called = run(installGoTool(GRPCURL), ["-plaintext", ...options, ...call, "eliza.v1.ElizaService/Say"]);
  return called.then(
    ({ stdout }) => stdout,
    ({ stderr }) => stderr,
  );
}

const EXAMPLES = join(ROOT, "packages/guard/examples");
const EXAMPLE_LINES_MAX = 40;

/** A program of packages/guard/examples, as it is in a user's project. */
const exampleOf = (name: string): string =>
  readFileSync(join(EXAMPLES, `${name}.ts`), "utf8").replace("../../../test/gen/", "./gen/");

/** Customers in the examples' database: one with calls left, one without a subscription, and one whose month is used up. */
function customersOf(): Readonly<Record<"good" | "unsubscribed" | "used", string>> {
  const db = new DatabaseSync(join(project.path, "guard.db"));
  onTestFinished(() => db.close());
  const [store, keys] = [new SqliteStore(db), new KeyFormat("ek_")];
  const customerOf = (accountId: string, callsPerMonth?: number): string => {
    const key = keys.generate("ek_");
    store.addKey(accountId, key);
    if (callsPerMonth !== undefined) {
      store.subscribe(accountId, "eliza", { name: "free", requestsPerSecond: 1000, callsPerMonth });
    }
    return key.secret;
  };
  return { good: customerOf("ada", 1000), unsubscribed: customerOf("bob"), used: customerOf("cyd", 0) };
}

test.each(["connect-node", "fastify", "fetch"])(
  "the guarded server for %s has the right types, in fewer than 40 lines",
  async (name) => {
    const program = exampleOf(name);
    expect(program.trim().split("\n").length).toBeLessThan(EXAMPLE_LINES_MAX);
    const file = join(project.path, `guarded-${name}.ts`);
    writeFileSync(file, program);
    const types = ["--typeRoots", join(ROOT, "node_modules/@types"), "--types", "node"];
    const options = [
      "--noEmit",
      "--ignoreConfig",
      "--strict",
      "--skipLibCheck",
      "--module",
      "nodenext",
      "--target",
      "esnext",
      ...types,
    ];
    await run(join(ROOT, "node_modules/.bin/tsc"), [...options, file], { cwd: project.path });
  },
);

describe.each(NODES)("on Node %s", (node) => {
  test("http serves both versions of HTTP", async () => {
    const origin = await started("http", node);
    expect([
      await curl("--data", "12345", `${origin}/a`),
      await curl("--http2-prior-knowledge", "--data", "12345", `${origin}/b`),
      await curl("--write-out", "%{http_code}", "--request", "CONNECT", "--request-target", "a:1", origin),
    ]).toEqual(["POST /a: 5 bytes\n", "POST /b: 5 bytes\n", expect.stringMatching(/^This is not a proxy.*\n405$/)]);
  });

  test("transcoding adds REST to Connect", async () => {
    const origin = await started("transcoding", node);
    const say = createClient(ElizaService, createConnectTransport({ baseUrl: origin })).say;
    const json = ["--header", "content-type: application/json"];
    expect([
      await curl(`${origin}/v1/say/hi`),
      await curl(...json, "--data", '{"sentence":"ho"}', `${origin}/v1/say`),
      await curl(`${origin}/v1/introductions/Ada`),
      await curl("--write-out", "%{http_code}", "--request", "DELETE", `${origin}/v1/say`),
      (await say({ sentence: "hi" })).sentence,
    ]).toEqual([
      '{"sentence":"You said: hi"}',
      '{"sentence":"You said: ho"}',
      '{"sentence":"Hello, Ada."}\n{"sentence":"I am Eliza."}\n',
      '{"code":"unimplemented","message":"/v1/say has only POST"}405',
      "You said: hi",
    ]);
  });

  test("transcoding leaves gRPC as it is", async () => {
    const origin = await started("transcoding", node, (program) => program.replace('"node:http"', '"node:http2"'));
    expect([JSON.parse(await grpcurl(origin)), await curl("--http2-prior-knowledge", `${origin}/v1/say/hi`)]).toEqual([
      { sentence: "You said: hi" },
      '{"sentence":"You said: hi"}',
    ]);
  });

  test("guard asks for a key", async () => {
    const origin = await started("guard", node);
    const { good } = customersOf();
    const call = [
      "--header",
      "content-type: application/json",
      "--data",
      '{"sentence":"hi"}',
      `${origin}/eliza.v1.ElizaService/Say`,
    ];
    expect([await curl(...call), await curl("--header", `x-api-key: ${good}`, ...call)]).toEqual([
      expect.stringMatching(/^\{"code":"unauthenticated","message":"send an API key in the x-api-key header"/),
      '{"sentence":"ada said: hi"}',
    ]);
  });

  test.each(["connect-node", "fastify", "serve-fetch"])(
    "behind a guard, curl and connect-web get REST, OpenAPI and RPC from %s, and the right refusals",
    async (name) => {
      writeFileSync(join(project.path, "fetch.ts"), exampleOf("fetch"));
      const origin = await startedFile(`guarded-${name}`, node, exampleOf(name));
      const { good, unsubscribed, used } = customersOf();
      const statusOf = (key: string, ...args: readonly string[]): Promise<string> =>
        curl("--output", "/dev/null", "--write-out", "%{http_code}", "--header", `x-api-key: ${key}`, ...args);
      const say = `${origin}/v1/say/hi`;
      expect([await statusOf("", say), await statusOf(unsubscribed, say), await statusOf(used, say)]).toEqual([
        "401",
        "402",
        "429",
      ]);
      expect(await statusOf(good, "--request", "DELETE", say)).toBe("405");
      expect(await statusOf(good, "--request", "PUT", `${origin}/eliza.v1.ElizaService/Say`)).toBe("405");
      expect([
        await curl("--header", `x-api-key: ${good}`, say),
        await curl("--header", `x-api-key: ${good}`, `${origin}/v1/introductions/Ada`),
        Object.keys(JSON.parse(await curl(`${origin}/openapi.json`)).paths),
      ]).toEqual([
        '{"sentence":"You said: hi"}',
        '{"sentence":"Hello, Ada. You are ada."}\n',
        expect.arrayContaining(["/v1/say", "/v1/introductions/{name}"]),
      ]);
      const client = createClient(ElizaService, createConnectTransport({ baseUrl: origin }));
      const outcomeOf = (key: string): Promise<string | undefined> =>
        client.say({ sentence: "hi" }, { headers: { "x-api-key": key } }).then(
          ({ sentence }) => sentence,
          (error) => Code[ConnectError.from(error).code],
        );
      expect(await Promise.all([good, "", unsubscribed, used].map(outcomeOf))).toEqual([
        "You said: hi",
        "Unauthenticated",
        "PermissionDenied",
        "ResourceExhausted",
      ]);
    },
  );

  // A fetch handler cannot send trailers, and so not gRPC.
  test.each([
    ["connect-node", '"node:http"', '"node:http2"'],
    ["fastify", "fastify();", "fastify({ http2: true });"],
  ])("behind a guard, grpcurl gets RPC from %s, and the right refusals", async (name, http1, http2) => {
    const origin = await startedFile(`guarded-${name}-http2`, node, exampleOf(name).replace(http1, http2));
    const { good, unsubscribed, used } = customersOf();
    const outcomes = await Promise.all([good, "", unsubscribed, used].map((key) => grpcurl(origin, "-H", `x-api-key: ${key}`)));
    expect(outcomes.map((text) => /Code: (\w+)/.exec(text)?.[1] ?? JSON.parse(text))).toEqual([
      { sentence: "You said: hi" },
      "Unauthenticated",
      "PermissionDenied",
      "ResourceExhausted",
    ]);
    expect(await curl("--http2-prior-knowledge", "--header", `x-api-key: ${good}`, `${origin}/v1/say/hi`)).toBe(
      '{"sentence":"You said: hi"}',
    );
  });
});
