// The snippets for gRPC clients, run as they stand with what they need: the packages as they are built here, and code generated for Go as
// the guide on clients says.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConsoleMethod } from "../../../portal/app/console/contract/contract.ts";
import { snippetCall } from "../../../portal/app/console/snippet-call.ts";
import { programSnippets } from "../../../portal/content/snippets/programs.ts";
import { ROOT } from "../../fixtures/root.ts";
import { LARGEST_PLANS, type SandboxGateway, startSandboxGateway } from "../../fixtures/sandbox-gateway.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { CONTRACT, methodAt } from "../../portal/console/contract.ts";
import { type Ran, type RunOptions, runSnippet } from "../portal/run-snippet.ts";
import { installWheel, NPM_PACKAGE } from "./client-packages.ts";

const SETUP_MS_MAX = 900_000;
const TITLES = ["gRPC in TypeScript", "gRPC in Python", "gRPC in Go"] as const;
type Title = (typeof TITLES)[number];

const tools = makeTemporaryDirectory();
const GO_MODULE = join(tools.path, "examples/go");
const data = makeTemporaryDirectory();
let servers: SandboxGateway;

beforeAll(async () => {
  installWheel(join(tools.path, "venv"));
  // The module that the examples in Go have generates the same code, for a package of another name.
  cpSync(join(ROOT, "examples/go"), GO_MODULE, { recursive: true });
  for (const folder of ["proto", "third_party", "buf.yaml"]) {
    symlinkSync(join(ROOT, folder), join(tools.path, folder));
  }
  execFileSync(join(ROOT, "node_modules/.bin/buf"), ["generate"], { cwd: GO_MODULE });
  servers = await startSandboxGateway(data.path);
}, SETUP_MS_MAX);
afterAll(async () => {
  await servers.close();
  data.remove();
  tools.remove();
});

// What each language needs around its file: beside it, or in a directory above it.
const PLACES: Readonly<Record<Title, Pick<RunOptions, "parent" | "prepare">>> = {
  "gRPC in TypeScript": {
    prepare(directory) {
      const modules = join(directory, "node_modules");
      mkdirSync(join(modules, "@quintet"), { recursive: true });
      symlinkSync(NPM_PACKAGE, join(modules, "@quintet/client"));
      for (const scope of ["@bufbuild", "@connectrpc"]) {
        symlinkSync(join(ROOT, "node_modules", scope), join(modules, scope));
      }
      writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
    },
  },
  "gRPC in Python": {},
  // All in one module, whose generated code is compiled once.
  "gRPC in Go": { parent: GO_MODULE },
};

async function run(
  title: Title,
  method: ConsoleMethod,
  input: JsonObject,
  options: Pick<RunOptions, "isEnough"> = {},
): Promise<Ran> {
  const call = snippetCall(method, input, { server: servers.gateway.origin, isDryRun: false });
  const snippet = programSnippets(call).find((one) => one.title === title);
  if (snippet === undefined) {
    throw new Error(`${method.slug} has no snippet for ${title}`);
  }
  const { secret } = await servers.gateway.makeCustomer(LARGEST_PLANS);
  return await runSnippet({ ...snippet, code: snippet.code.replaceAll("example.com/shop", "example.com/prices") }, secret, {
    ...options,
    environment: { PATH: [join(tools.path, "venv/bin"), process.env.PATH].join(delimiter) },
    ...PLACES[title],
  });
}

const each = (wanted: (method: ConsoleMethod) => boolean) =>
  TITLES.flatMap((title) => CONTRACT.methods.filter(wanted).map((method) => ({ title, slug: method.slug, method })));

describe("The snippet", () => {
  test.each(each(({ isStream }) => !isStream))("$title calls $slug", async ({ title, method }) => {
    const { stdout, stderr, failed } = await run(title, method, method.sample as JsonObject);
    expect({ failed, stderr: failed ? stderr : "" }).toEqual({ failed: false, stderr: "" });
    expect(Object.keys(JSON.parse(stdout)).length).toBeGreaterThan(0);
  });

  test.each(each(({ isStream }) => isStream))("$title prints what $slug streams", async ({ title, method }) => {
    const isEnough = (stdout: string): boolean => stdout.includes("coingecko:bitcoin") && stdout.includes("price");
    const { stderr, failed } = await run(title, method, { tokens: ["coingecko:bitcoin"] }, { isEnough });
    expect({ failed, stderr: failed ? stderr : "" }).toEqual({ failed: false, stderr: "" });
  });

  test.each(TITLES)("%s ends with an error that says why a call is refused", async (title) => {
    const { stderr, failed } = await run(title, methodAt("farkle/score"), { dice: [9] });
    expect({ failed, says: stderr.includes("dice[0] must be a whole number from 1 to 6, not 9") }).toEqual({
      failed: true,
      says: true,
    });
  });
});
