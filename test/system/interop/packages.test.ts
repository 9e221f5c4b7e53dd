// The packages of packages/ as others get them: packed, installed from the tarball into an empty folder, with the code of their READMEs.
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
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
  const adapter = `@connectrpc/connect-node@${devDependencies["@connectrpc/connect-node"]}`;
  npm("install", "--silent", "--no-audit", "--no-fund", adapter, ...tarballs);
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
async function started(name: string, node: string, edit = (program: string) => program): Promise<string> {
  const file = join(project.path, `${name}.ts`);
  writeFileSync(file, edit(programOf(name)));
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
    const proto = [
      "-import-path",
      join(ROOT, "test/proto"),
      "-import-path",
      join(ROOT, "third_party"),
      "-proto",
      "eliza/v1/eliza.proto",
    ];
    const called = ["-plaintext", ...proto, "-d", '{"sentence":"hi"}', origin.slice("http://".length), "eliza.v1.ElizaService/Say"];
    const { stdout } = await run(installGoTool(GRPCURL), called);
    expect([JSON.parse(stdout), await curl("--http2-prior-knowledge", `${origin}/v1/say/hi`)]).toEqual([
      { sentence: "You said: hi" },
      '{"sentence":"You said: hi"}',
    ]);
  });
});
