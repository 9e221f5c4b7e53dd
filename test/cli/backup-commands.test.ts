// `quintet backup` and `quintet restore` on a database that no server uses; test/system/backup.test.ts backs up a server that runs.
import { existsSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";
import { type CommandLine, createCommandLine, nthId, refused } from "./command-line.ts";

// Calls a month.
const FARKLE_FREE = 7460;

interface BackedUp extends CommandLine {
  readonly file: string;
}

// An account with a key and a subscription, and a backup of them.
async function backedUp(): Promise<BackedUp> {
  const commandLine = createCommandLine();
  await commandLine.run("account create acme");
  await commandLine.run("key create acme");
  await commandLine.run("subscription create acme farkle");
  const file = join(temporaryDirectory(), "quintet.backup");
  const created = await commandLine.run(`backup ${file}`);
  expect(created).toEqual({
    code: 0,
    out: `Wrote ${file}: ${statSync(file).size.toLocaleString("en").replaceAll(",", " ")} bytes, 1 account, 1 key, as of 2026-11-21 12:00:00 UTC. It was checked and is intact.\n`,
    err: "",
  });
  return { ...commandLine, file };
}

const counted = async ({ run }: CommandLine): Promise<number> =>
  JSON.parse((await run("usage acme --json")).out).services[0].standing.leased;

describe("quintet backup", () => {
  test("writes one file, readable only by its owner, without a write-ahead log next to it", async () => {
    const { file } = await backedUp();
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
    expect(readdirSync(join(file, ".."))).toEqual(["quintet.backup"]);
  });

  test("names the file after the time if it is given a directory, and is in the audit trail", async () => {
    const { run } = await backedUp();
    const directory = temporaryDirectory();
    const { path, ...facts } = JSON.parse((await run(`backup ${directory} --json`)).out);
    expect(path).toBe(join(directory, "quintet-20261121T120000Z.db"));
    expect(facts).toEqual({ bytes: statSync(path).size, made_at: "2026-11-21T12:00:00.000Z", accounts: 1, keys: 1 });
    const { entries } = JSON.parse((await run("audit --action database --limit 1 --json")).out);
    expect(entries[0]).toMatchObject({ action: "database.backup", details: { path, bytes: facts.bytes } });
  });

  test("does not replace a file, and leaves nothing behind if it fails", async () => {
    const { run, file } = await backedUp();
    expect(await run(`backup ${file}`)).toEqual(
      refused("store", `The file ${file} already exists. Name a file that does not exist, or a directory.`),
    );
    const nowhere = join(temporaryDirectory(), "no", "file");
    const { code, err } = await run(`backup ${nowhere}`);
    expect([code, err]).toEqual([5, expect.stringContaining(`The backup ${nowhere} cannot be made: ENOENT`)]);
  });

  test("refers to pg_dump for PostgreSQL", async () => {
    const { run } = createCommandLine();
    expect(await run("backup x", { QUINTET_DATABASE_URL: "postgres://db.example/quintet" })).toEqual(
      refused(
        "usage",
        'QUINTET_DATABASE_URL names a PostgreSQL database; back it up with `pg_dump --format=custom --file=FILE "$QUINTET_DATABASE_URL"`.',
      ),
    );
  });
});

describe("quintet restore", () => {
  test("puts the backup in place, keeps the previous database, and charges the calls that may have been made since", async () => {
    const { run, dataDir, clock, file, ...rest } = await backedUp();
    clock.advance(60_000);
    await run("account create later");
    const path = join(dataDir, "quintet.db");
    const kept = `${path}.before-20261121T120100Z`;
    expect(await run(`restore ${file}`)).toEqual({
      code: 0,
      out: [
        `${path} is restored from ${file}, as of 2026-11-21 12:00:00 UTC.`,
        `The previous database is kept as ${kept}.`,
        "135 calls for 2026-11 now count as used, across 1 active subscription: as many as could have been made since then.",
        "Still in effect from after the backup: 0 keys revoked, 0 accounts suspended, 0 accounts deleted, and 0 operators dismissed.",
        "All sessions have ended, and links in e-mails no longer work. Any other change since then is lost. Start the server now.",
        "",
      ].join("\n"),
      err: "",
    });
    expect(JSON.parse((await run("account list --json")).out).accounts.map(({ name }: { name: string }) => name)).toEqual(["acme"]);
    expect(await counted({ run, dataDir, clock, ...rest })).toBe(135);
    expect((statSync(path).mode & 0o777).toString(8)).toBe("600");
    const before = new DatabaseSync(kept, { readOnly: true });
    expect(before.prepare("SELECT name FROM accounts ORDER BY name").all()).toMatchObject([{ name: "acme" }, { name: "later" }]);
    before.close();
    expect(readdirSync(dataDir).filter((name) => name.includes("restoring"))).toEqual([]);
    const { entries } = JSON.parse((await run("audit --action database --limit 1 --json")).out);
    expect(entries[0]).toMatchObject({ action: "database.restore", details: { from: file, made_at: "2026-11-21T12:00:00.000Z" } });
  });

  test("keeps keys revoked and accounts suspended since the backup, and ends all sessions", async () => {
    const { run, dataDir, clock, file } = await backedUp();
    const store = await openStore({ dataDir, clock, role: "command" });
    await store.close();
    await run(`key revoke ${nthId(2)}`);
    await run("account suspend acme");
    const kept = JSON.parse((await run(`restore ${file} --json`)).out);
    expect(kept).toMatchObject({ kept_revoked_keys: 1, kept_suspended_accounts: 1, kept_dismissed_operators: 0 });
    expect((await run(`key show ${nthId(2)}`)).out).toMatch(/^State: +revoked$/m);
    expect((await run("account show acme")).out).toContain("suspended");
  });

  test("keeps operators dismissed since the backup, and leaves the others", async () => {
    const { run } = await backedUp();
    await run("account create lasting --email l@lasting.example");
    await run("account create dismissed --email d@dismissed.example");
    await run("account operator lasting");
    await run("account operator dismissed");
    const file = join(temporaryDirectory(), "with-operators");
    await run(`backup ${file}`);
    await run("account operator dismissed --off");
    expect(JSON.parse((await run(`restore ${file} --json`)).out).kept_dismissed_operators).toBe(1);
    expect((await run("account list")).out).toMatch(/^dismissed +active +d@/m);
    expect((await run("account list")).out).toMatch(/^lasting +active, operator +l@/m);
  });

  test("does not bring back an account that was deleted since, or anything that names its owner", async () => {
    const { run, file } = await backedUp();
    await run("account delete acme --yes");
    const kept = JSON.parse((await run(`restore ${file} --json`)).out);
    expect(kept).toMatchObject({ kept_deleted_accounts: 1, kept_suspended_accounts: 0, kept_revoked_keys: 0, subscriptions: 0 });
    expect((await run("account show acme")).code).toBe(3);
    expect((await run("account create acme")).code).toBe(0);
    expect(JSON.parse((await run("key list acme --json")).out).keys).toEqual([]);
  });

  test("does not make a key valid again that has ended and been deleted since, unless the previous database does not know its account", async () => {
    const { run, dataDir, file } = await backedUp();
    const stateOf = async (variables = {}) =>
      JSON.parse((await run("key list acme --json", variables)).out).keys.map(({ state }: { state: string }) => state);
    const database = new DatabaseSync(join(dataDir, "quintet.db"));
    database.exec("DELETE FROM api_keys");
    database.close();
    expect(JSON.parse((await run(`restore ${file} --json`)).out).kept_revoked_keys).toBe(1);
    expect(await stateOf()).toEqual(["revoked"]);
    const other = { QUINTET_DATA_DIR: temporaryDirectory() };
    await run("migrate --init", other);
    expect(JSON.parse((await run(`restore ${file} --json`, other)).out).kept_revoked_keys).toBe(0);
    expect(await stateOf(other)).toEqual(["active"]);
  });

  test("ends the sessions that the backup had, and the links in e-mails", async () => {
    const { run, dataDir, clock } = await backedUp();
    const store = await openStore({ dataDir, clock, role: "command" });
    const ada = { id: "a-2", name: "ada", email: "ada@example.com" };
    await store.createOwnedAccount(ada, "hash");
    await store.beginSession({ tokenHash: "t", accountId: ada.id, passwordHash: "hash", expiresAtMs: clock.nowMs() + 1000 });
    const link = { purpose: "reset", email: ada.email, accountId: ada.id, passwordHash: null } as const;
    await store.addMailToken({ ...link, tokenHash: "m", expiresAtMs: clock.nowMs() + 1000 });
    await store.close();
    const file = join(temporaryDirectory(), "with-session");
    await run(`backup ${file}`);
    expect((await run(`restore ${file}`)).code).toBe(0);
    const restored = await openStore({ dataDir, clock, role: "command" });
    expect(await restored.findMailToken("m")).toBeUndefined();
    expect([await restored.findSession("t"), (await restored.findOwner(ada.email))?.accountId]).toEqual([undefined, "a-2"]);
    await restored.close();
  });

  test("works if the database is damaged or missing, and into a new directory", async () => {
    const { run, dataDir, file } = await backedUp();
    writeFileSync(join(dataDir, "quintet.db"), "x".repeat(8192));
    const damaged = await run(`restore ${file}`);
    expect(damaged.out).toContain("have access again: the previous database could not be read. Check them yourself.");
    expect((await run("account show acme")).code).toBe(0);
    const fresh = join(temporaryDirectory(), "new");
    expect((await run(`restore ${file}`, { QUINTET_DATA_DIR: fresh })).out).toContain("There was no database before.\n");
    expect((await run("account show acme", { QUINTET_DATA_DIR: fresh })).code).toBe(0);
  });

  test("grants credited calls only once", async () => {
    const { run, dataDir, clock, ...rest } = await backedUp();
    const store = await openStore({ dataDir, clock, role: "command" });
    const [subscription] = await store.listCurrentSubscriptions(nthId(1));
    await store.credit(subscription?.id ?? "", "2026-11", 1000);
    await store.close();
    const file = join(temporaryDirectory(), "with-credit");
    await run(`backup ${file}`);
    clock.advance(86_400_000);
    expect(JSON.parse((await run(`restore ${file} --json`)).out).calls).toBe(FARKLE_FREE + 1000);
    expect(await counted({ run, dataDir, clock, ...rest })).toBe(FARKLE_FREE + 1000);
    expect((await run("usage acme")).out).toMatch(/farkle +0 +0 +free +8 460 +7 460 +0 +0\n/);
  });

  test("charges a subscription that was cancelled in the backup and is created again, and a plan that is activated again", async () => {
    const { run, clock } = await backedUp();
    await run("subscription cancel acme farkle");
    await run("subscription create acme radio");
    const file = join(temporaryDirectory(), "cancelled");
    await run(`backup ${file}`);
    clock.advance(3_600_000);
    await run(`restore ${file}`);
    await run("subscription create acme farkle");
    await run("subscription activate acme radio --plan pro");
    const { services } = JSON.parse((await run("usage acme --json")).out);
    expect(
      services.map(({ service, standing: { plan, leased } }: { service: string; standing: { plan: string; leased: number } }) => [
        service,
        plan,
        leased,
      ]),
    ).toEqual([
      ["radio", "pro", Math.ceil(1.1 * 40 * 3601)],
      ["farkle", "free", FARKLE_FREE],
    ]);
  });

  test("keeps each database that it replaces, even two in the same second", async () => {
    const { run, dataDir, file } = await backedUp();
    await run(`restore ${file}`);
    await run(`restore ${file}`);
    await run(`restore ${file}`);
    expect(readdirSync(dataDir).filter((name) => name.includes("before"))).toEqual([
      "quintet.db.before-20261121T120000Z",
      "quintet.db.before-20261121T120000Z-2",
      "quintet.db.before-20261121T120000Z-3",
    ]);
  });

  test("accepts a file made by another program only with --since", async () => {
    const { run, dataDir, clock, file, ...rest } = await backedUp();
    const database = new DatabaseSync(file);
    database.exec("DROP TABLE quintet_backup");
    database.close();
    expect(await run(`restore ${file}`)).toEqual(
      refused(
        "usage",
        `${file} does not contain the time of the backup, because another program made it. Add --since with the time.`,
      ),
    );
    expect(await counted({ run, dataDir, clock, ...rest })).toBe(0);
    expect((await run(`restore ${file} --since 30m`)).code).toBe(0);
    expect(await counted({ run, dataDir, clock, ...rest })).toBe(Math.ceil(1.1 * 2 * 1801));
  });

  describe("is refused and leaves the database unchanged", () => {
    test("while a server runs", async () => {
      const { run, dataDir, clock, file } = await backedUp();
      const server = await openStore({ dataDir, clock, role: "server" });
      expect(await run(`restore ${file}`)).toEqual(
        refused(
          "store",
          `A server is running on the data directory ${dataDir}. Stop it first, or name another directory with QUINTET_DATA_DIR.`,
        ),
      );
      await server.close();
    });

    test("while a command is changing the database", async () => {
      const { run, dataDir, file } = await backedUp();
      const other = new DatabaseSync(join(dataDir, "quintet.db"));
      other.exec("BEGIN IMMEDIATE");
      expect(await run(`restore ${file}`)).toEqual(
        refused("store", `A command is changing ${join(dataDir, "quintet.db")} at the moment. Try again when it is done.`),
      );
      other.close();
    });

    const changed = (statement: string, what: string) => ({
      spoil(file: string) {
        const database = new DatabaseSync(file);
        database.enableDefensive(false);
        database.exec(statement);
        database.close();
      },
      says: (file: string) =>
        `The tables of ${file} are not the ones that Quintet creates: ${what}. Somebody has changed the file; use an unchanged backup.`,
    });
    const faults: Record<string, { spoil: (file: string) => void; says: (file: string) => string }> = {
      "one with a trigger": changed(
        "CREATE TRIGGER promote AFTER UPDATE ON accounts BEGIN UPDATE accounts SET operator = 1; END",
        "it has the trigger promote",
      ),
      "one with a view": changed("CREATE VIEW customers AS SELECT * FROM accounts", "it has the view customers"),
      "one with a virtual table": changed("CREATE VIRTUAL TABLE words USING fts5(text)", "it has the table words"),
      "one with an extra table": changed("CREATE TABLE extra (a)", "it also has table extra"),
      "one without an index": changed("DROP INDEX refusal_hours_by_hour", "index refusal_hours_by_hour is missing"),
      "one with another default": changed(
        `PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(sql, 'default 0', 'default 1') WHERE name = 'accounts';
         PRAGMA writable_schema = RESET`,
        "table accounts is defined differently",
      ),
      "a truncated one": {
        spoil: (file) => truncateSync(file, statSync(file).size - 20_000),
        says: (file) => `${file} is damaged: part of it is missing or wrong. Name another backup.`,
      },
      "one cut within its first page": {
        spoil: (file) => truncateSync(file, 1000),
        says: (file) => `${file} is damaged: part of it is missing or wrong. Name another backup.`,
      },
      "one without its last byte": {
        spoil: (file) => truncateSync(file, statSync(file).size - 1),
        says: (file) => `${file} is damaged: part of it is missing or wrong. Name another backup.`,
      },
      "an empty file": {
        spoil: (file) => truncateSync(file, 0),
        says: (file) => `${file} is a database, but not one of Quintet's. Name a backup that \`quintet backup\` has made.`,
      },
      "a file that does not exist": {
        spoil: () => {},
        says: () => "There is no file /nowhere. Name a backup that `quintet backup` has made.",
      },
      "a file that is not a database": {
        spoil: (file) => writeFileSync(file, "x".repeat(5000)),
        says: (file) => `${file} is not a database. Name a backup that \`quintet backup\` has made.`,
      },
      "a damaged one": {
        spoil(file) {
          const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
          database.exec("UPDATE api_keys SET account_id = 'a-9'");
          database.close();
        },
        says: (file) => `${file} is damaged: a row of api_keys refers to a row that does not exist.`,
      },
      "another program's": {
        spoil(file) {
          const database = new DatabaseSync(file);
          database.exec("DROP TABLE quintet_migrations");
          database.close();
        },
        says: (file) => `${file} is a database, but not one of Quintet's. Name a backup that \`quintet backup\` has made.`,
      },
      "one in use": {
        spoil: (file) => writeFileSync(`${file}-wal`, "x"),
        says: (file) =>
          `${file} is not a backup but a database in use, or a copy of one: part of it is in ${file}-wal. Back it up with \`quintet backup\`.`,
      },
      "one from the future": {
        spoil(file) {
          const database = new DatabaseSync(file);
          database.exec(`UPDATE quintet_backup SET made_at_ms = ${Date.UTC(2027, 0, 1)}`);
          database.close();
        },
        says: (file) => `${file} gives its time as 2027-01-01 00:00:00 UTC, which is in the future. Set this machine's clock.`,
      },
    };

    test.for(Object.entries(faults))("%s", async ([name, { spoil, says }]) => {
      const { run, file, dataDir } = await backedUp();
      spoil(file);
      await run("account create later");
      expect(await run(`restore ${name === "a file that does not exist" ? "/nowhere" : file}`)).toEqual(
        refused("store", says(file)),
      );
      expect((await run("account show later")).code).toBe(0);
      expect(readdirSync(dataDir).filter((one) => /restoring|before/.test(one))).toEqual([]);
    });

    test("a backup of a newer version, which this one does not understand", async () => {
      const { run, file } = await backedUp();
      const database = new DatabaseSync(file);
      database.exec("INSERT INTO quintet_migrations VALUES ('0999-later', 0, 0)");
      database.close();
      const { code, err } = await run(`restore ${file}`);
      expect([code, err]).toEqual([5, expect.stringContaining("it has the migration 0999-later")]);
    });
  });
});

describe("a data directory that may be mistyped does not become an empty database", () => {
  const cases: Record<string, { make: (dataDir: string) => void; says: (dataDir: string) => string }> = {
    "one that does not exist": {
      make: () => {},
      says: (dataDir) =>
        `There is no directory ${dataDir}, which QUINTET_DATA_DIR names. Correct the path; for a new server, create the directory, or add --init.`,
    },
    "one that holds something else": {
      make(dataDir) {
        mkdirSync(dataDir);
        writeFileSync(join(dataDir, "letters.txt"), "");
      },
      says: (dataDir) =>
        `The data directory ${dataDir} has no quintet.db, and is not empty: it contains letters.txt. Check QUINTET_DATA_DIR; ` +
        "`quintet restore` puts a backup there, and --init creates a new, empty database.",
    },
  };

  test.for(Object.entries(cases))("%s", async ([, { make, says }]) => {
    const dataDir = join(temporaryDirectory(), "data");
    make(dataDir);
    const { run } = createCommandLine();
    expect(await run("migrate", { QUINTET_DATA_DIR: dataDir })).toEqual(refused("store", says(dataDir)));
    expect(existsSync(join(dataDir, "quintet.db"))).toBe(false);
  });

  test("but an empty directory does, and so do one with only a plan file and any directory with --init", async () => {
    const { run } = createCommandLine();
    const empty = temporaryDirectory();
    mkdirSync(join(empty, "lost+found"));
    writeFileSync(join(empty, "plans.json"), "{}");
    expect((await run("migrate", { QUINTET_DATA_DIR: empty })).code).toBe(0);
    const other = join(temporaryDirectory(), "new");
    expect((await run("migrate --init", { QUINTET_DATA_DIR: other })).code).toBe(0);
  });
});
