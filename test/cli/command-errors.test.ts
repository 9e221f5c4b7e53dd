// What the command line does about mistyped names, names that are taken and a full disk, and what it prints for programs.
import { spawn } from "node:child_process";
import { existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../fixtures/program.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";
import { createCommandLine, refused } from "./command-line.ts";

describe("a data directory that is mistyped", () => {
  test.each(["account list", "account create acme", "key list acme", "usage acme", "subscription list acme"])(
    "is refused by `%s`, and is not changed",
    async (line) => {
      const dataDir = join(temporaryDirectory(), "daat");
      const { run } = createCommandLine();
      expect(await run(line, { QUINTET_DATA_DIR: dataDir })).toEqual(
        refused(
          "store",
          `There is no database in the data directory ${dataDir}. Check QUINTET_DATA_DIR; \`quintet serve\` and \`quintet migrate\` create one.`,
        ),
      );
      expect(existsSync(dataDir)).toBe(false);
    },
  );

  test("is created by `migrate --init`", async () => {
    const dataDir = join(temporaryDirectory(), "data");
    const { run } = createCommandLine();
    expect((await run("migrate --init", { QUINTET_DATA_DIR: dataDir })).code).toBe(0);
    expect((await run("account create acme", { QUINTET_DATA_DIR: dataDir })).code).toBe(0);
  });
});

test("an e-mail address that has an account cannot get another, in any spelling", async () => {
  const { run } = createCommandLine();
  expect((await run("account create acme --email Ops@acme.example")).code).toBe(0);
  expect(await run("account create beta --email ops@ACME.example")).toEqual(
    refused("conflict", "The e-mail address ops@acme.example already has an account."),
  );
});

describe("an error names the wrong argument:", () => {
  test.each([
    ["account create ACME", "<name> must be 1 to 63 lower-case letters"],
    ["account create acme --email nobody", "--email must be an e-mail address like name@example.com"],
    ["key create acme --expires 9999d", "--expires must be in the future, at most ten years away"],
    ["key create acme --services radio,radio", "--services must name at least one service, and none of them twice"],
    ["subscription create acme radio --plan gold", "--plan must be one of free, basic, pro, mega for radio"],
  ])("%s", async (line, expected) => {
    const { run } = createCommandLine();
    if (!line.startsWith("account")) {
      await run("account create acme");
    }
    const { code, err } = await run(line);
    expect([code, err.startsWith(`quintet: ${expected}`) || err]).toEqual([2, true]);
  });
});

test.each(["help key create", "key help create", "key create --help"])("`%s` shows that command", async (line) => {
  const { run } = createCommandLine();
  const { code, out } = await run(line);
  expect(code).toBe(0);
  expect(out).toMatch(/^Usage: quintet key create \[options\] <account>\n/);
});

test.each([
  ["help acount", "quintet: unknown command 'acount'\n(Did you mean account?)\n\nUsage: quintet [options] [command]\n"],
  ["acount --help", "quintet: unknown command 'acount'\n(Did you mean account?)\n\nUsage: quintet [options] [command]\n"],
  ["help key nosuch", "quintet: unknown command 'nosuch'\n\nUsage: quintet key [options] [command]\n"],
  ["key help nosuch", "quintet: unknown command 'nosuch'\n\nUsage: quintet key [options] [command]\n"],
  ["key nosuch -h", "quintet: unknown command 'nosuch'\n\nUsage: quintet key [options] [command]\n"],
])("`%s` names no command: the commands that exist follow the error", async (line, begin) => {
  const { code, out, err } = await createCommandLine().run(line);
  expect({ code, out, begin: err.slice(0, begin.length) }).toEqual({ code: 2, out: "", begin });
  expect(err).toContain("\nCommands:\n");
});

test.each(["help key", "key help", "key --help", "key -h"])("`%s` shows the commands below it", async (line) => {
  const { code, out, err } = await createCommandLine().run(line);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^Usage: quintet key \[options\] \[command\]\n/);
});

describe("with --json an error is JSON:", () => {
  test.each([
    ["account show nobody --json", 3, "There is no account called nobody; `quintet account list` shows them."],
    ["account create A --json", 2, expect.stringMatching(/^<name> must be 1 to 63/)],
    ["account show --json", 2, "missing required argument 'account'"],
    ["account list --json --colour", 2, "unknown option '--colour'"],
    ["help key nosuch --json", 2, "unknown command 'nosuch'"],
  ])("%s", async (line, code, message) => {
    const { run } = createCommandLine();
    const ran = await run(line);
    expect({ ...ran, err: JSON.parse(ran.err) }).toEqual({ code, out: "", err: { error: { message } } });
  });
});

test.skipIf(!existsSync("/dev/full"))("a full device causes an error of one line", async () => {
  const full = openSync("/dev/full", "w");
  const child = spawn("node_modules/.bin/node", ["src/start.js", "openapi"], { stdio: ["ignore", full, "pipe"] });
  const said = (await child.stderr?.setEncoding("utf8").toArray())?.join("");
  expect(said).toBe("quintet: The output could not be written: ENOSPC: no space left on device, write.\n");
  expect(child.exitCode ?? (await new Promise((resolve) => child.once("close", resolve)))).toBe(1);
  expect((await run("routes", {})).code).toBe(0);
});
