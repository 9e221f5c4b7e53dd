// The exit codes: each command ends with the same one for the same kind of mistake.
import type { Command } from "commander";
import { expect, test } from "vitest";
import { wholeProgram } from "../../scripts/docs/tables.ts";
import { EXIT_CODES, type ExitName } from "../../src/cli/exit-codes.ts";
import { run as runProgram } from "../fixtures/program.ts";
import { type CommandLine, createCommandLine, nthId } from "./command-line.ts";

// These do not use a command's store: their own tests run them.
const OTHERS = ["doctor", "openapi", "routes", "sandbox", "serve"];

interface Expected {
  /** On a store that has the account acme with a revoked key, and nothing else. */
  readonly here: ExitName;
  /** When PostgreSQL does not respond; `store` by default. */
  readonly unreachable?: ExitName;
  /** With `--json`; as without it by default. */
  readonly json?: ExitName;
}

const NOT_FOUND: Expected = { here: "notFound" };

// Each line has valid syntax.
const LINES: Readonly<Record<string, Expected>> = {
  "account create acme": { here: "conflict" },
  "account list": { here: "done" },
  "account show nobody": NOT_FOUND,
  "account suspend nobody": NOT_FOUND,
  "account resume nobody": NOT_FOUND,
  "account password nobody": NOT_FOUND,
  "account operator nobody": NOT_FOUND,
  "account two-factor nobody": NOT_FOUND,
  "account members nobody": NOT_FOUND,
  "account members acme": { here: "done" },
  "account members acme --remove acme": { here: "conflict" },
  "account delete nobody --yes": NOT_FOUND,
  "key create nobody": NOT_FOUND,
  "key list nobody": NOT_FOUND,
  "key show k-9": NOT_FOUND,
  "key find --last-four none": NOT_FOUND,
  "key rotate k-9": NOT_FOUND,
  "key limit k-9 --allowed-origins all": NOT_FOUND,
  "key disable k-9": NOT_FOUND,
  "key enable k-9": NOT_FOUND,
  "key revoke k-9": NOT_FOUND,
  [`key rotate ${nthId(2)}`]: { here: "conflict" },
  [`key limit ${nthId(2)} --allowed-origins all`]: { here: "conflict" },
  [`key disable ${nthId(2)}`]: { here: "conflict" },
  [`key enable ${nthId(2)}`]: { here: "conflict" },
  [`key revoke ${nthId(2)}`]: { here: "conflict" },
  "subscription create nobody radio": NOT_FOUND,
  "subscription request acme radio --plan pro": NOT_FOUND,
  "subscription activate acme radio": NOT_FOUND,
  "subscription decline acme radio": NOT_FOUND,
  "subscription cancel acme radio": NOT_FOUND,
  "subscription create acme radio --plan gold": { here: "usage" },
  "subscription list nobody": NOT_FOUND,
  "usage nobody": NOT_FOUND,
  "usage acme": { here: "done" },
  "quota raise --percent 5": { here: "done" },
  "plans show": { here: "done" },
  "plans diff /nowhere.json": { here: "settings", unreachable: "settings" },
  "plans apply /nowhere.json": { here: "settings", unreachable: "settings" },
  "plans migrate-subscribers --notice 30d": { here: "done" },
  "billing income": { here: "done" },
  // Its output is CSV.
  "billing export --month 2026-10": { here: "done", json: "usage" },
  "plans sync": { here: "settings", unreachable: "settings" },
  "audit nobody": NOT_FOUND,
  "backup /nowhere/backup": { here: "store", unreachable: "usage" },
  "restore /nowhere/backup": { here: "store", unreachable: "usage" },
  migrate: { here: "done" },
};

// Of these, the ones that read settings. `doctor` lists what is wrong with them among its checks.
const WITH_SETTINGS = ["sandbox", "serve"];

const UNREACHABLE = { QUINTET_DATABASE_URL: "postgres://quintet@127.0.0.1:1/quintet" };
const WRONG = { QUINTET_DATABASE_URL: "nowhere" };

const leaves = (command: Command, path: readonly string[] = []): readonly string[] =>
  command.commands.length === 0 ? [path.join(" ")] : command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
const NAMES = leaves(wholeProgram()).filter((name) => !OTHERS.includes(name));

async function withAcme(): Promise<CommandLine> {
  const commandLine = createCommandLine();
  await commandLine.run("account create acme");
  await commandLine.run("key create acme");
  expect((await commandLine.run(`key revoke ${nthId(2)}`)).code).toBe(0);
  return commandLine;
}

test("each kind has its own code", () => {
  const codes = Object.values(EXIT_CODES).map(({ code }) => code);
  expect(codes).toEqual([...new Set(codes)]);
});

test("every command is among the lines", () => {
  expect(NAMES.filter((name) => !Object.keys(LINES).some((line) => line === name || line.startsWith(`${name} `)))).toEqual([]);
});

test.each(Object.entries(LINES))("quintet %s", async (line, { here, unreachable = "store", json = here }) => {
  const { run } = await withAcme();
  const codes = {
    here: (await run(line)).code,
    json: (await run(`${line} --json`)).code,
    unreachable: (await run(line, UNREACHABLE)).code,
    wrongly: (await run(`${line} --nonsense`)).code,
  };
  expect(codes).toEqual({
    here: EXIT_CODES[here].code,
    json: EXIT_CODES[json].code,
    unreachable: EXIT_CODES[unreachable].code,
    wrongly: EXIT_CODES.usage.code,
  });
  expect((await run(line, WRONG)).code).toBe(EXIT_CODES.settings.code);
});

test.each(OTHERS)("quintet %s, as a separate program", async (name) => {
  expect((await runProgram(`${name} --nonsense`, {})).code).toBe(EXIT_CODES.usage.code);
  if (WITH_SETTINGS.includes(name)) {
    expect((await runProgram(name, { QUINTET_PORT: "none" })).code).toBe(EXIT_CODES.settings.code);
  }
});

test("the commands that are run as programs are all the others", () => {
  const others = leaves(wholeProgram()).filter((name) => !NAMES.includes(name));
  expect(others.toSorted()).toEqual(OTHERS);
});
