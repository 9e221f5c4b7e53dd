// The npm package `quintet`: what is in it, and that it needs nothing but Node to run.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { DEAD_UPSTREAMS } from "../../fixtures/dead-upstreams.ts";
import { portalFiles } from "../../fixtures/portal-site.ts";
import { startCommand } from "../../fixtures/program.ts";
import { ROOT } from "../../fixtures/root.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { buildAndPack, install, installGlobally, NODE_PATH, npmSbom, type Packed } from "./npm-package.ts";

const { path: home, remove } = makeTemporaryDirectory();
afterAll(remove);
const MIB = 2 ** 20;
const sources = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
let packed: Packed;
let program: string;
const shipped = join(home, "empty/node_modules/quintet");
const read = (path: string): string => readFileSync(join(shipped, path), "utf8");

beforeAll(() => {
  portalFiles();
  packed = buildAndPack(home);
  program = install(join(home, packed.filename), join(home, "empty"));
});

test("is small enough to download quickly, and has no sources, tests or secrets", () => {
  expect({ size: packed.size < 8 * MIB, unpacked: packed.unpackedSize < 24 * MIB, files: packed.files.length < 1900 }).toEqual({
    size: true,
    unpacked: true,
    files: true,
  });
  const kinds = packed.files.map(({ path }) => path.replace(/^(dist|proto|build\/portal)\/.*?([^/]*?)(\.\w+)?$/, "$1/*$3"));
  expect([...new Set(kinds)].filter((path) => !path.startsWith("build/portal/")).toSorted()).toEqual([
    "LICENSE",
    "README.md",
    "THIRD-PARTY-LICENSES.txt",
    "dist/*.js",
    "gen/common-passwords.txt",
    "gen/grpc-service-config.json",
    "gen/mcp-tools.json",
    "gen/openapi-operator.json",
    "gen/openapi.json",
    "gen/protos.zip",
    "gen/quintet.binpb",
    "package.json",
    "plans/default.json",
    "proto/*.md",
    "proto/*.proto",
    "sbom.cdx.json",
  ]);
});

test("states what it needs and where it comes from, and needs no other package", () => {
  const { name, version, description, license, repository } = sources;
  expect(JSON.parse(read("package.json"))).toEqual({
    name,
    version,
    description,
    license,
    repository,
    keywords: expect.arrayContaining(["grpc", "rest"]),
    type: "module",
    bin: { quintet: "dist/start.js" },
    files: expect.any(Array),
    engines: { node: ">=24" },
    publishConfig: { access: "public", provenance: true },
  });
  expect(readdirSync(join(home, "empty/node_modules")).filter((entry) => !entry.startsWith("."))).toEqual(["quintet"]);
});

test("is identical, byte for byte, when it is built again elsewhere", () => {
  const { path, remove: removeAgain } = makeTemporaryDirectory();
  onTestFinished(removeAgain);
  expect(buildAndPack(path, { TZ: "Asia/Tokyo", LC_ALL: "C", HOME: path }).integrity).toBe(packed.integrity);
});

test("`npx quintet` finds it, and its sandbox serves in an empty folder, with its pages, documents and protos", async () => {
  const folder = join(home, "empty");
  const npx = startCommand(["env", "-C", folder, "npx", "--offline", "quintet", "--version"], { PATH: NODE_PATH, HOME: home });
  expect(await npx.ended).toMatchObject({ code: 0, out: `${sources.version}\n` });
  const sandbox = startCommand(["env", "-C", folder, program, "sandbox", "--control-port", "0"], {
    PATH: NODE_PATH,
    QUINTET_PORT: "0",
  });
  onTestFinished(() => sandbox.signal("SIGKILL"));
  const [, origin = ""] = await sandbox.until(/serves at (\S+)/);
  const [, key = ""] = await sandbox.until(/key {6}(\S+)/);
  const called = async (path: string): Promise<readonly [number, unknown]> => {
    const response = await fetch(`${origin}${path}`, { headers: { "x-gateway-key": key } });
    return [response.status, response.headers.get("content-type")?.startsWith("application/json") ? await response.json() : {}];
  };
  expect(
    await Promise.all([
      called("/farkle/v1/score?dice=1,1"),
      called("/radio/v1/search?limit=1"),
      called("/openapi.json"),
      called("/docs"),
    ]),
  ).toEqual([
    [200, expect.objectContaining({ data: expect.objectContaining({ score: 200 }) })],
    [200, expect.objectContaining({ success: true })],
    [200, expect.objectContaining({ openapi: expect.stringMatching(/^3\./) })],
    [200, {}],
  ]);
});

test("`npm install --global quintet` installs a command that serves, and accepts the commands that its messages suggest", async () => {
  const command = installGlobally(join(home, packed.filename), join(home, "global"));
  const variables = { PATH: NODE_PATH, QUINTET_DATA_DIR: join(home, "data") };
  const ran = (line: string) => startCommand([command, ...line.split(" ")], variables).ended;
  expect(await ran("--version")).toEqual({ code: 0, out: `${sources.version}\n`, err: "" });
  expect((await ran("migrate --init")).code).toBe(0);
  await ran("account create acme");
  const [, key = ""] = /(qk_live_\w+)/.exec((await ran("key create acme --name ci")).out) ?? [];
  const server = startCommand([command, "serve"], { ...variables, ...DEAD_UPSTREAMS, QUINTET_PORT: "0", QUINTET_WORKERS: "2" });
  onTestFinished(() => server.signal("SIGKILL"));
  const [, origin = ""] = await server.until(/"origin":"([^"]+)".*"msg":"serving"/);
  const call = () => fetch(`${origin}/farkle/v1/score?dice=1,1`, { headers: { "x-gateway-key": key } });
  expect((await call()).status).toBe(402);
  const missing = await ran("subscription cancel acme farkle");
  const [, hint = ""] = /`quintet (.+?)`/.exec(missing.err) ?? [];
  expect(await ran(hint)).toMatchObject({ code: 0, err: "" });
  expect((await call()).status).toBe(200);
  server.signal("SIGTERM");
  expect((await server.ended).code).toBe(0);
});

// The machine's Node, which may be older than the one that runs the tests.
const machineNode = (process.env.PATH ?? "")
  .split(":")
  .map((folder) => join(folder, "node"))
  .filter((path) => !path.includes("node_modules") && existsSync(path))
  .map((path) => ({ path, version: execFileSync(path, ["--version"], { encoding: "utf8" }).trim().slice(1) }))
  .find(({ version }) => Number.parseInt(version, 10) < 26);

describeWith(machineNode ?? { missing: "there is no Node before 26 on the PATH" }, "an older Node", () => {
  test.each(["--version", "serve", "no-such-command"])("is refused by `quintet %s` with one sentence", (argument) => {
    const { path = "", version = "" } = machineNode ?? {};
    const { status, stdout, stderr } = spawnSync(path, [program, argument], { encoding: "utf8" });
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: "",
      stderr: `quintet: Quintet needs Node.js 24 or newer; this is ${version}.\n`,
    });
  });
});

describe("what is inside", () => {
  interface Component {
    readonly purl: string;
    readonly name: string;
    readonly version: string;
    readonly licenses: readonly object[];
    readonly hashes: readonly object[];
  }
  const components = (): readonly Component[] => JSON.parse(read("sbom.cdx.json")).components;

  test("is listed as CycloneDX", async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(read("sbom.cdx.json"))).toBeNull();
    expect(await validator.validate(read("sbom.cdx.json").replace('"bomFormat"', '"format"'))).not.toBeNull();
    expect(components().map(({ name }) => name)).toEqual(
      expect.arrayContaining(["@bufbuild/protobuf", "commander", "pg", "preact", "pino"]),
    );
    expect(components().map(({ name }) => name)).not.toContain("vitest");
  });

  test("has the licences, checksums and dependencies that npm reports", () => {
    const known = npmSbom(home);
    const byPurl = new Map(known.components.map((component) => [component.purl, component]));
    expect(components().map(({ purl, licenses, hashes }) => ({ purl, licenses, hashes }))).toEqual(
      components().map(({ purl }) => {
        const { licenses, hashes } = byPurl.get(purl) ?? {};
        return { purl, licenses, hashes };
      }),
    );
    const shippedRefs = new Set(components().map(({ name, version }) => `${name}@${version}`));
    const purlOf = (ref: string): string => `pkg:npm/${ref.replace(/^@/, "%40")}`;
    const wanted = known.dependencies
      .filter(({ ref }) => shippedRefs.has(ref))
      .map(({ ref, dependsOn }) => ({
        ref: purlOf(ref),
        dependsOn: dependsOn
          .filter((each) => shippedRefs.has(each))
          .map(purlOf)
          .toSorted(),
      }));
    const [, ...listed] = JSON.parse(read("sbom.cdx.json")).dependencies as { ref: string }[];
    expect(listed.toSorted((a, b) => (a.ref < b.ref ? -1 : 1))).toEqual(wanted.toSorted((a, b) => (a.ref < b.ref ? -1 : 1)));
  });

  test("comes with its licences", () => {
    const text = read("THIRD-PARTY-LICENSES.txt");
    const named = [...text.matchAll(/^(?!Version)(\S+) (\d+\.\d+\.\d\S*), .+$/gm)].map(([, name, version]) => `${name} ${version}`);
    expect(named.toSorted()).toEqual(
      components()
        .map(({ name, version }) => `${name} ${version}`)
        .toSorted(),
    );
    expect(text).toContain("Permission is hereby granted, free of charge");
    expect(text).toContain("Redistributions in binary form must reproduce");
  });
});
