// The command line as a whole: its help, and its messages for usage errors.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SERVICE_NAMES } from "../../src/catalogue/service-names.ts";
import { createCommandLine, refused } from "./command-line.ts";

describe("a usage error exits with 2 and prints the correct usage", () => {
  test.for([
    { line: "frobnicate", says: "unknown command 'frobnicate'" },
    { line: "account shw", says: "unknown command 'shw'\n(Did you mean show?)" },
    { line: "account create", says: "missing required argument 'name'" },
    { line: "account create acme more", says: "too many arguments for 'create'. Expected 1 argument but got 2: acme, more." },
    { line: "account list --jsn", says: "unknown option '--jsn'\n(Did you mean --json?)" },
    { line: "subscription request acme radio", says: "required option '--plan <name>' not specified" },
    {
      line: "subscription create acme radios",
      says: `service must not be "radios". Did you mean radio? The services are ${SERVICE_NAMES.join(", ")}.`,
    },
    {
      line: "key create acme --services radio,farkl",
      says: `--services must not be "radio,farkl". Did you mean farkle? The services are ${SERVICE_NAMES.join(", ")}.`,
    },
    {
      line: "key create acme --expires soon",
      says:
        '--expires must not be "soon". ' +
        "Give a duration from now, such as 30d, or a time, such as 2027-01-31 or 2027-01-31T12:00Z.",
    },
    {
      line: "key rotate k-1 --grace 1",
      says:
        '--grace must not be "1". ' + "A duration is a whole number of minutes, hours, days or weeks, such as 30m, 24h, 7d or 2w.",
    },
  ])("quintet $line", async ({ line, says }) => {
    const { run } = createCommandLine();
    expect(await run(line)).toEqual({ code: 2, out: "", err: `quintet: ${says}\n(add --help for usage)\n` });
  });

  test.for(["", "account", "key", "subscription"])("quintet %s, with nothing after it, prints its help", async (line) => {
    const { run } = createCommandLine();
    const help = await run(`${line} --help`.trim());
    expect(help.code).toBe(0);
    expect(await run(line)).toEqual({ code: 2, out: "", err: help.out });
  });
});

describe("help", () => {
  test("names every command", async () => {
    const { run } = createCommandLine();
    expect(await run("--help")).toEqual({
      code: 0,
      err: "",
      out: `Usage: quintet [options] [command]

Data services behind one gateway.

Options:
  --version                  print the version of Quintet
  -h, --help                 display help for command

Commands:
  account                    Create, list, suspend and delete accounts, set passwords, appoint operators.
  key                        Create, list, show, find, limit, rotate, disable, enable and revoke API keys.
  subscription               Create, change, activate, decline, cancel and list subscriptions.
  usage [options] <account>  Show an account's calls, and what is left of its quota.
  quota                      Count calls that a restored database has lost.
  plans                      Show the plans, offer those of a plan file, and move subscribers.
  billing                    Show what paid plans bring in, and export them for bookkeeping.
  audit [options] [account]  Show who created, changed and revoked what, when, and from where; newest first.
  backup [options] <file>    Back up the embedded database into one file. The server may keep running.
  restore [options] <file>   Replace the embedded database with a backup, and keep the old database. No server
                             may be running.
  migrate [options]          Bring the database up to date with this version. Run it before the servers of a
                             new version are started.
  help [command]             display help for command

The commands that manage accounts use the PostgreSQL database at QUINTET_DATABASE_URL or, if that is not set,
the data directory QUINTET_DATA_DIR (./data by default). In a data directory, they announce changes to the running
server through its control.sock; a server that they cannot reach notices changes within 250 ms.

`,
    });
  });

  test.for([
    "account create",
    "account list",
    "account show",
    "account suspend",
    "account resume",
    "account password",
    "account operator",
    "account two-factor",
    "key create",
    "key list",
    "key show",
    "key find",
    "key rotate",
    "key disable",
    "key enable",
    "key revoke",
    "subscription create",
    "subscription request",
    "subscription activate",
    "subscription decline",
    "subscription cancel",
    "subscription list",
    "usage",
    "quota raise",
    "plans",
    "billing",
    "billing income",
    "billing export",
    "audit",
    "backup",
    "restore",
    "migrate",
  ])("quintet %s --help has examples that name it", async (line) => {
    const { run } = createCommandLine();
    const { code, out } = await run(`${line} --help`);
    expect(code).toBe(0);
    expect(out).toContain(`\nExamples:\n  $ quintet ${line} `.trimEnd());
  });
});

describe("what prevents a command is reported, with the exit code of its kind", () => {
  test("a plan file with a fault", async () => {
    const { run, dataDir } = createCommandLine();
    await run("account create acme");
    const path = join(dataDir, "plans.json");
    writeFileSync(path, "[");
    const { code, out, err } = await run(`plans diff ${path}`);
    expect({ code, out, begins: err.split("\n")[0] }).toEqual({
      code: 6,
      out: "",
      begins: `quintet: The plan file ${path} has a fault:`,
    });
  });

  test("a data directory that is a file", async () => {
    const { run, dataDir } = createCommandLine();
    const path = join(dataDir, "file");
    writeFileSync(path, "");
    expect(await run("account list", { QUINTET_DATA_DIR: path })).toEqual(
      refused(
        "store",
        `The data directory ${path} cannot be used: EEXIST: file already exists, mkdir '${path}'. Check its permissions and the disk, ` +
          "or point QUINTET_DATA_DIR to another.",
      ),
    );
  });

  test("a variable that only the server reads does not prevent any command", async () => {
    const { run } = createCommandLine();
    expect((await run("account list", { QUINTET_PORT: "none" })).code).toBe(0);
  });
});
