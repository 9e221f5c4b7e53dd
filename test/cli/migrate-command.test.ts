// `quintet migrate`, on the embedded database and on PostgreSQL, and what the other commands print before it has run there.
import { execFile } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MIGRATION_NAMES } from "../fixtures/migrations.ts";
import { START } from "../fixtures/program.ts";
import { type PostgresServer, postgres, startPostgres } from "../fixtures/servers/postgres.ts";
import { describeWith } from "../fixtures/servers/server-process.ts";
import { createCommandLine, printed, refused } from "./command-line.ts";

test("a new embedded database is created, and a second run changes nothing", async () => {
  const { run } = createCommandLine();
  expect(await run("migrate")).toEqual(
    printed(
      MIGRATION_NAMES.map(
        (name) => `Applied ${name}.
`,
      ).join(""),
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
        "  QUINTET_DATABASE_URL must be a connection string such as postgres://user:password@host:5432/name, in which the password is percent-encoded; or leave the password out, and set PGPASSWORD",
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
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const env = { ...process.env, QUINTET_DATABASE_URL: url, QUINTET_PORT: "0", QUINTET_LOG_LEVEL: "silent" };
    execFile(process.execPath, [START, "serve"], { env }, (error, out, err) => resolve({ code: error?.code, out, err }));
    expect(await promise).toEqual(refused("store", "The database is empty. Run `quintet migrate` once, then start again."));
  });

  test("commands work once the database is migrated, and require that first", async () => {
    const { run } = createCommandLine();
    const variables = { QUINTET_DATABASE_URL: await server.createDatabase() };
    expect(await run("account list", variables)).toEqual(
      refused("store", "The database is empty. Run `quintet migrate` once, then start again."),
    );
    expect(await run("migrate --json", variables)).toEqual(
      printed(`${JSON.stringify({ applied: MIGRATION_NAMES }, null, 2)}
`),
    );
    expect(await run("account list", variables)).toEqual(
      printed("There are no accounts; `quintet account create NAME` creates one.\n"),
    );
  });
});
