// The README is true: its tables are what the program has, the paths, commands and variables that it names exist, and its calls are
// answered as it says.
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, onTestFinished, test } from "vitest";
import { withTables } from "../../scripts/readme/tables.ts";
import { CommandContext } from "../../src/cli/context.ts";
import { createProgram } from "../../src/cli/program.ts";
import { addReferenceCommands } from "../../src/cli/reference-commands.ts";
import { compileRoutes } from "../../src/gateway/rest/routes.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { variableDocs } from "../../src/server-config.ts";
import { CURL_IS_ABLE } from "../fixtures/curl.ts";
import { ACCOUNT_SERVICES, DATA_METHODS } from "../fixtures/data-services.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { layOutProtoImports, ROOT } from "../fixtures/proto-imports.ts";

const README = readFileSync(join(ROOT, "README.md"), "utf8");

const found = (pattern: RegExp): string[] => [...new Set(Array.from(README.matchAll(pattern), ([all, group]) => group ?? all))];

test("its tables are up to date", () => {
  expect(withTables(README)).toBe(README);
});

test("the paths that it names are served", () => {
  const accountMethods = ACCOUNT_SERVICES.flatMap(({ methods }) => methods);
  const rows = [DATA_METHODS.map(({ desc }) => desc), accountMethods].flatMap((methods) => compileRoutes(methods).rows);
  const paths = new Set(rows.map(({ template }) => template));
  const rpcs = new Set(DATA_METHODS.map(({ path }) => path.slice(1)));
  expect(found(/\/[a-z-]+\/v1\/[a-z0-9-]+/g).filter((path) => !paths.has(path))).toEqual([]);
  expect(found(/quintet\.\w+\.v1\.\w+\/\w+/g).filter((rpc) => !rpcs.has(rpc))).toEqual([]);
});

test("the variables, scripts and files that it names exist", () => {
  const variables = new Set(variableDocs().map(({ name }) => name));
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect(found(/QUINTET_[A-Z_]*[A-Z]/g).filter((name) => !variables.has(name))).toEqual([]);
  expect(["start", "test", ...found(/npm run (?:-s )?(\w+)/g)].filter((name) => !(name in scripts))).toEqual([]);
  const files = [...found(/\]\((\w[\w./-]*)\)/g), ...found(/`((?:proto|plans|test)\/[\w./]*)`/g)];
  expect(files.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

// What of a command line is not a command or an option of the program.
function unknownWords(program: Command, words: readonly string[]): readonly string[] {
  const [first = "", ...rest] = words;
  const command = program.commands.find((candidate) => candidate.name() === first);
  if (command !== undefined) {
    return unknownWords(command, rest);
  }
  const options = words.filter((word) => word.startsWith("--"));
  const isKnown = (word: string): boolean => program.options.some(({ long }) => long === word);
  return program.commands.length > 0 ? [first] : options.filter((word) => !isKnown(word));
}

test("the commands that it names exist, with their options", () => {
  const edge = { variables: {}, clock: systemClock, randomness: systemRandomness, out: () => {}, err: () => {} };
  const program = createProgram(new CommandContext(edge));
  addReferenceCommands(program, edge);
  const lines = found(/npm run (?:-s )?quintet -- ([^#`\n]*)/g).map((line) => line.trim());
  expect(lines.length).toBeGreaterThan(8);
  expect(lines.flatMap((line) => unknownWords(program, line.split(" ")))).toEqual([]);
});

// Times, ids, tokens and the ends of names differ from run to run; nothing else may.
const timeless = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")
    .replaceAll(/"token":"[0-9A-Za-z]{32}"/g, '"token":"TOKEN"')
    .replaceAll(/"name":"ada-[0-9a-f]{8}"/g, '"name":"NAME"');

// An owner who has called twice this month, and a session of theirs.
async function signIn({ origin, store }: Gateway): Promise<string> {
  const owner = { email: "owner@example.com", password: "correct horse battery" };
  const post = (path: string, body: object, headers = {}): Promise<Response> =>
    fetch(`${origin}/account/v1/${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const { data } = (await (await post("sign-up", owner)).json()) as { data: { token: string; account: { id: string } } };
  await post("subscriptions", { service: "farkle" }, { authorization: `Bearer ${data.token}` });
  const call = {
    accountId: data.account.id,
    keyId: "a",
    service: "farkle",
    method: "a",
    day: "2026-11-21",
    outcome: "OK",
  } as const;
  await store.addUsage([{ ...call, calls: 2 }]);
  const [subscription] = await store.listSubscriptionsInForce(data.account.id);
  await store.lease(subscription?.id ?? "", "2026-11", 7460, 2);
  return data.token;
}

function shell(line: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile("sh", ["-c", line], { cwd: ROOT }, (_error, out, err) => resolve(out + err));
  return promise;
}

test.skipIf(!CURL_IS_ABLE)("its calls are answered as it says", async () => {
  layOutProtoImports();
  const free = { name: "free", callsPerMonth: 7460, requestsPerSecond: 1000 };
  const gateway = await startGateway({ plans: { farkle: [free] } });
  onTestFinished(() => gateway.close());
  const { secret } = await gateway.makeCustomer({ farkle: "free" });
  const token = await signIn(gateway);
  const examples = Array.from(README.matchAll(/^```console\n\$ (.*)\n([^`]*)^```/gm), ([, line = "", answer = ""]) => ({
    line,
    answer,
  }));
  const answers = examples.map(async ({ line }) => {
    const answer = await shell(
      line.replace("qk_live_…", secret).replace("TOKEN", token).replace("http://127.0.0.1:8080", gateway.origin),
    );
    return { line, answer: `${timeless(answer).trim()}\n` };
  });
  expect(examples).toHaveLength(7);
  expect(await Promise.all(answers)).toEqual(examples.map(({ line, answer }) => ({ line, answer: timeless(answer) })));
});
