// `quintet migrate`, on the embedded database and on PostgreSQL, and what the other commands print before it has run there.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PostgresServer, postgres, startPostgres } from "../fixtures/servers/postgres.ts";
import { describeWith } from "../fixtures/servers/server-process.ts";
import { createCommandLine, printed, refused } from "./command-line.ts";

test("a new embedded database is created, and a second run changes nothing", async () => {
  const { run } = createCommandLine();
  expect(await run("migrate")).toEqual(
    printed(
      "Applied 0001-first-tables.\nApplied 0002-owners.\nApplied 0003-nodes.\nApplied 0004-subscription-lists.\nApplied 0005-audit.\nApplied 0006-key-uses.\nApplied 0007-operators.\nApplied 0008-sessions-and-deletion.\nApplied 0009-usage-hours.\nApplied 0010-mail-tokens.\nApplied 0011-refusal-hours.\nApplied 0012-quota-raises.\nApplied 0013-change-ids.\nApplied 0014-former-accounts.\nApplied 0015-key-requests.\nApplied 0016-count-batches.\nApplied 0017-large-tables.\nApplied 0018-change-batches.\nApplied 0019-alerts.\nApplied 0020-key-notes.\nApplied 0021-two-factor.\n",
    ),
  );
  expect(await run("migrate")).toEqual(printed("The database is up to date.\n"));
  expect(await run("migrate --json")).toEqual(printed('{\n  "applied": []\n}\n'));
});

test("an invalid connection string is refused without repeating it", async () => {
  const { run } = createCommandLine();
  expect(await run("migrate", { QUINTET_DATABASE_URL: "mysql://user:secret@db.example" })).toEqual(
    refused(
      "settings",
      "The environment has a fault:\n" +
        "  QUINTET_DATABASE_URL must be a connection string such as postgres://user:password@host:5432/name",
    ),
  );
});

describeWith(postgres, "on PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  test("a server does not start before", async () => {
    const url = await server.createDatabase();
    const main = join(import.meta.dirname, "../../src/start.js");
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const env = { ...process.env, QUINTET_DATABASE_URL: url, QUINTET_PORT: "0", QUINTET_LOG_LEVEL: "silent" };
    execFile(process.execPath, [main, "serve"], { env }, (error, out, err) => resolve({ code: error?.code, out, err }));
    expect(await promise).toEqual(refused("store", "The database is empty. Run `quintet migrate` once, then start again."));
  });

  test("commands work once the database is migrated, and require that first", async () => {
    const { run } = createCommandLine();
    const variables = { QUINTET_DATABASE_URL: await server.createDatabase() };
    expect(await run("account list", variables)).toEqual(
      refused("store", "The database is empty. Run `quintet migrate` once, then start again."),
    );
    expect(await run("migrate --json", variables)).toEqual(
      printed(
        '{\n  "applied": [\n    "0001-first-tables",\n    "0002-owners",\n    "0003-nodes",\n    "0004-subscription-lists",\n    "0005-audit",\n    "0006-key-uses",\n    "0007-operators",\n    "0008-sessions-and-deletion",\n    "0009-usage-hours",\n    "0010-mail-tokens",\n    "0011-refusal-hours",\n    "0012-quota-raises",\n    "0013-change-ids",\n    "0014-former-accounts",\n    "0015-key-requests",\n    "0016-count-batches",\n    "0017-large-tables",\n    "0018-change-batches",\n    "0019-alerts",\n    "0020-key-notes",\n    "0021-two-factor"\n  ]\n}\n',
      ),
    );
    expect(await run("account list", variables)).toEqual(
      printed("There are no accounts; `quintet account create NAME` creates one.\n"),
    );
  });
});
