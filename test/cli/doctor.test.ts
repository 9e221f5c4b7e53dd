// `quintet doctor`: what it reports about settings, stores, clocks and upstreams, and its exit code.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { runCommandLine } from "../../src/cli/command-line.ts";
import { checkClocks } from "../../src/cli/doctor/clock-check.ts";
import type { Finding } from "../../src/cli/doctor/finding.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { isoTime } from "../../src/runtime/iso-time.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { startAllStandIns } from "../../src/sandbox/stand-ins/all-stand-ins.ts";
import { migrateStore, openStore } from "../../src/store/open.ts";
import { makeAuthority } from "../fixtures/certificates.ts";
import { DEAD_UPSTREAMS } from "../fixtures/dead-upstreams.ts";
import { START } from "../fixtures/program.ts";
import { ROOT } from "../fixtures/root.ts";
import { pgbouncer, startPgbouncer } from "../fixtures/servers/pgbouncer.ts";
import { inDatabase, type PostgresServer, postgres, startPostgres } from "../fixtures/servers/postgres.ts";
import { type RedisServer, redis, startRedis } from "../fixtures/servers/redis.ts";
import { describeWith } from "../fixtures/servers/server-process.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";
import { startLoopbackServer } from "../upstream/loopback-server.ts";

const DAY_MS = 86_400_000;

interface Report {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function doctor(variables: Readonly<Record<string, string>>, ...options: string[]): Promise<Report> {
  let [out, err] = ["", ""];
  const code = await runCommandLine(
    {
      variables: { ...DEAD_UPSTREAMS, ...variables },
      cores: 2,
      clock: systemClock,
      randomness: systemRandomness,
      operator: { user: "alice", host: "host-1" },
      readSecret: () => Promise.resolve(""),
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      untilStopped: () => Promise.resolve(),
      onUncaught: () => {},
      onReload: () => {},
    },
    ["doctor", ...options],
  );
  return { code, out, err };
}

const of = async (subject: string, variables: Readonly<Record<string, string>>): Promise<readonly Finding[]> => {
  const { checks } = JSON.parse((await doctor(variables, "--json")).out) as { checks: readonly Finding[] };
  return checks.filter((check) => check.subject === subject);
};

// A server that responds to every request with this status and date.
const serve = async (status: number, date?: string): Promise<string> => {
  const { origin } = await startLoopbackServer((_, response) => {
    response.sendDate = date === undefined;
    response.writeHead(status, date === undefined ? {} : { date }).end();
  });
  return origin;
};

describe("quintet doctor", () => {
  test("reports each wrong setting and what would be right, and exits with 1", async () => {
    expect(await doctor({ QUINTET_PROT: "1", QUINTET_WORKERS: "0" })).toEqual({
      code: 1,
      out:
        'fail  settings: QUINTET_WORKERS must be a whole number from 1 to 256, not "0".\n' +
        "fail  settings: QUINTET_PROT is not a variable that Quintet knows; did you mean QUINTET_PORT?\n      Correct it first: the other checks need valid settings.\n",
      err: "quintet: 2 of 2 checks failed.\n",
    });
  });

  test("exits with 0 if everything works, and changes nothing", async () => {
    const dataDir = temporaryDirectory();
    await (await openStore({ dataDir, clock: systemClock, role: "command" })).close();
    const { standIns, variables } = await startAllStandIns({ seed: 1, clock: systemClock });
    onTestFinished(async () => {
      await Promise.all(standIns.map((standIn) => standIn.close()));
    });
    const { code, out, err } = await doctor({ QUINTET_DATA_DIR: dataDir, ...variables });
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("ok    settings: all are valid.\nok    plans: 20 plans in the built-in file.\n");
    expect(out).toContain(`ok    data directory: only its owner may write to ${dataDir}.\n`);
    expect(out).toMatch(/^ok {4}database: SQLite 3\.\d+\.\d+, 1 MiB, checked and intact\.$/m);
    const works = String.raw`http://127\.0\.0\.1:\d+ works: `;
    const yesterday = isoTime(systemClock.nowMs() - DAY_MS).slice(0, 10);
    for (const line of [
      String.raw`radio: directory: ${works}\d{3,} stations in \d+ countries`,
      `token-price: prices: ${works}a price of coingecko:bitcoin, 0 minutes old`,
      String.raw`token-list: uniswap: ${works}\d{3,} tokens, of \d{4}-\d\d-\d\d`,
      ...["revenue", "supply", "prices"].map((name) => `bitcoin: ${name}: ${works}14 of the last 14 days, until ${yesterday}`),
    ]) {
      expect(out).toMatch(new RegExp(`^ok {4}${line}\\.$`, "m"));
    }
  });

  test("fails if the data directory does not exist", async () => {
    const dataDir = join(temporaryDirectory(), "nowhere");
    expect(await of("data directory", { QUINTET_DATA_DIR: dataDir })).toEqual([
      {
        state: "fail",
        subject: "data directory",
        message: `there is no directory ${dataDir}`,
        advice: "Check QUINTET_DATA_DIR, or create it with `quintet migrate --init`.",
      },
    ]);
  });

  test("reports a database that is missing, cannot be read, or can be written to by others", async () => {
    const dataDir = join(temporaryDirectory(), "data");
    mkdirSync(dataDir);
    const variables = { QUINTET_DATA_DIR: dataDir };
    expect((await of("database", variables))[0]?.message).toBe(`${dataDir} has no database yet`);
    writeFileSync(join(dataDir, "quintet.db"), "x".repeat(8192));
    expect((await of("database", variables))[0]).toMatchObject({
      state: "fail",
      message: "it cannot be read: file is not a database",
    });
    chmodSync(dataDir, 0o777);
    expect((await of("data directory", variables))[0]).toMatchObject({
      state: "fail",
      message: `users other than its owner may write to ${dataDir}`,
    });
  });
});

describe("upstreams", () => {
  test("one that does not work is a warning while another of its kind works, and a failure when none does", async () => {
    const { standIns, variables } = await startAllStandIns({ seed: 1, clock: systemClock });
    onTestFinished(async () => {
      await Promise.all(standIns.map((standIn) => standIn.close()));
    });
    const mirrors = variables.QUINTET_RADIO_MIRRORS?.split(",")[0] ?? "";
    const [gone, dead] = [await serve(404), "http://127.0.0.1:9"];
    const found = async (urls: readonly string[]) =>
      (await of("radio: directory", { QUINTET_RADIO_MIRRORS: urls.join(",") })).map(({ state, message }) => `${state} ${message}`);
    expect(await found([mirrors, gone, dead])).toEqual([
      expect.stringMatching(/^ok /),
      `warn ${gone} does not work: responded with status 404`,
      `warn ${dead} does not work: no response (ECONNREFUSED)`,
    ]);
    expect(await found([gone, dead])).toEqual([
      `fail ${gone} does not work: responded with status 404`,
      `fail ${dead} does not work: no response (ECONNREFUSED)`,
    ]);
  });

  test("are shown by their origin, which no key is part of", async () => {
    const origin = await serve(403);
    const { out } = await doctor({
      QUINTET_COINS_URL: `${origin}/secret/coins`,
      QUINTET_TOKEN_LISTS: `uniswap=${origin}/list.json?key=secret`,
    });
    expect(out).toContain(`fail  token-price: prices: ${origin} does not work: responded with status 403.\n`);
    expect(out).not.toContain("secret");
  });
});

test.each([
  { aheadMs: 900, state: "ok", message: "agrees with that of PostgreSQL" },
  { aheadMs: 1200, state: "warn", message: "this machine's is 1.2 s behind that of PostgreSQL" },
  { aheadMs: -31_000, state: "fail", message: "this machine's is 31.0 s ahead of that of PostgreSQL" },
])("a clock that is $aheadMs ms ahead is $state", ({ aheadMs, state, message }) => {
  expect(checkClocks([{ whose: "PostgreSQL", aheadMs, uncertaintyMs: 10 }])).toMatchObject([{ state, message }]);
});

describe("an upstream whose certificate is from a company's own authority", () => {
  test.each([
    ["is not trusted", () => ({}), "fail"],
    ["is trusted with NODE_EXTRA_CA_CERTS", (path: string) => ({ NODE_EXTRA_CA_CERTS: path }), "ok"],
    ["is trusted with SSL_CERT_FILE", (path: string) => ({ NODE_USE_SYSTEM_CA: "1", SSL_CERT_FILE: path }), "ok"],
  ])("%s", async (_, variablesOf, state) => {
    const authority = makeAuthority();
    const coins = { "coingecko:bitcoin": { price: 1, symbol: "BTC", timestamp: Math.floor(systemClock.nowMs() / 1000) } };
    const { key, cert } = authority.certify({ names: "IP:127.0.0.1", holder: "server" });
    const server = createHttpsServer({ key, cert }, (_request, response) => response.end(JSON.stringify({ coins }))).listen(
      0,
      "127.0.0.1",
    );
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { ...process.env, ...DEAD_UPSTREAMS, QUINTET_COINS_URL: url, ...variablesOf(authority.certPath) };
    const { promise, resolve } = Promise.withResolvers<string>();
    execFile(process.execPath, [START, "doctor", "--json"], { env, cwd: temporaryDirectory() }, (_error, out) => resolve(out));
    const { checks } = JSON.parse(await promise) as { checks: readonly Finding[] };
    expect(checks.find(({ message }) => message.startsWith(url))?.state).toBe(state);
  });
});

describeWith(postgres, "PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  test("is reached, and its schema is checked", async () => {
    const variables = { QUINTET_DATABASE_URL: await server.createDatabase() };
    const { checks } = JSON.parse((await doctor(variables, "--json")).out) as { checks: readonly Finding[] };
    const database = checks.filter(({ subject }) => ["database", "schema", "connections", "clock"].includes(subject));
    expect(database).toMatchObject([
      { subject: "database", message: expect.stringMatching(/^PostgreSQL \d+\.\d+.* responds in \d+\.\d ms$/) },
      { state: "fail", subject: "schema", advice: "The database is empty. Run `quintet migrate` once, then start again." },
      { state: "ok", subject: "connections", message: "PostgreSQL accepts 200, and each server opens up to 11" },
      { state: "ok", subject: "clock", message: "agrees with that of PostgreSQL" },
    ]);
  });

  test("is checked for the rights that servers and migrations need", async () => {
    const url = await server.createDatabase();
    const limited = Object.assign(new URL(url), { username: "limited" }).href;
    const rights = () => of("rights", { QUINTET_DATABASE_URL: limited });
    await inDatabase(url, (client) => client.query("CREATE ROLE limited LOGIN"));
    onTestFinished(() => inDatabase(url, async (client) => void (await client.query("DROP OWNED BY limited; DROP ROLE limited"))));
    const grant = "Grant it as the owner of the database, for example with";
    expect(await rights()).toEqual([
      {
        state: "fail",
        subject: "rights",
        message: "the role limited lacks CREATE on the schema public",
        advice: `${grant} \`GRANT CREATE ON SCHEMA public TO limited\`.`,
      },
    ]);
    const options = { dataDir: "/nonexistent", clock: systemClock };
    const databaseAt = (at: string) => ({ url: at, connectionsMax: 1, staleAfterMs: 10_000 });
    await expect(migrateStore({ ...options, database: databaseAt(limited) })).rejects.toThrow(
      "The role that QUINTET_DATABASE_URL names lacks a right: permission denied for schema public. `quintet migrate` needs CREATE",
    );
    await migrateStore({ ...options, database: databaseAt(url) });
    expect(await rights()).toMatchObject([
      {
        state: "fail",
        message: expect.stringMatching(/^the role limited lacks CREATE on the schema public; DELETE, .* and \d+ more$/),
      },
    ]);
    await inDatabase(url, (client) =>
      client.query("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO limited"),
    );
    expect(await rights()).toMatchObject([{ state: "warn", advice: "Run `quintet migrate` as a role that has it, or grant it." }]);
    await inDatabase(url, (client) => client.query("GRANT CREATE ON SCHEMA public TO limited"));
    expect(await rights()).toEqual([]);
  });

  test("is reported if it cannot be reached, without its password", async () => {
    const url = "postgres://quintet:secret@127.0.0.1:9/quintet";
    const [finding] = await of("database", { QUINTET_DATABASE_URL: url });
    expect(finding).toMatchObject({ state: "fail", message: expect.stringContaining("ECONNREFUSED") });
    expect(JSON.stringify(finding)).not.toContain("secret");
  });
});

describeWith(pgbouncer, "A pooler in front of PostgreSQL", () => {
  test.each([
    ["session", 10, []],
    ["transaction", 10, ["fail"]],
    ["transaction", 1, ["fail"]],
  ] as const)("in %s mode with up to %i connections", async (mode, size, states) => {
    const server = await startPostgres();
    onTestFinished(() => server.close());
    const url = await server.createDatabase();
    const database = { url, connectionsMax: 1, staleAfterMs: 10_000 };
    await migrateStore({ dataDir: "/nonexistent", database, clock: systemClock });
    const pooler = await startPgbouncer(url, mode, size);
    onTestFinished(() => pooler.close());
    expect((await of("pooler", { QUINTET_DATABASE_URL: pooler.url })).map(({ state }) => state)).toEqual(states);
  });
});

describeWith(redis, "Redis", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.close());

  test("is reached, or reported if it cannot be", async () => {
    const [finding] = await of("redis", { QUINTET_REDIS_URL: server.url });
    expect(finding?.message).toMatch(/^Redis \d+\.\d+\.\d+ runs the rate limit in \d+\.\d ms$/);
    const [missing] = await of("redis", { QUINTET_REDIS_URL: "redis://user:secret@127.0.0.1:9" });
    expect(missing).toMatchObject({ state: "fail", message: "cannot be used: connect ECONNREFUSED 127.0.0.1:9" });
  });

  test("is used with the rights that the documentation lists, and no fewer suffice", async () => {
    const page = readFileSync(join(ROOT, "docs/operate/network.md"), "utf8");
    const documented = /^ACL SETUSER quintet .*$/m.exec(page)?.[0].replace("PASSWORD", "secret").split(" ") ?? [];
    const rights = documented.filter((word) => /^\+(?!ping|info)/.test(word));
    const client = await createClient({ url: server.url }).connect();
    onTestFinished(() => client.destroy());
    const url = server.url.replace("//", "//quintet:secret@");
    const all = async () => of("redis", { QUINTET_REDIS_URL: url });
    await client.sendCommand(documented);
    expect((await doctorStates(url)).filter((state) => state !== "ok")).toEqual([]);
    expect(rights.length).toBe(7);
    for (const right of rights) {
      await client.sendCommand(["SCRIPT", "FLUSH"]);
      await client.sendCommand(["FLUSHALL"]);
      await client.sendCommand([...documented, right.replace("+", "-")]);
      expect(await all(), right).toMatchObject([
        {
          state: "fail",
          message: expect.stringMatching(/^cannot be used: .*(?:NOPERM.*|can't run this command or subcommand)(?<!\.)$/),
          advice: expect.stringContaining("Give the user the rights that docs/operate/network.md lists."),
        },
      ]);
    }
    await client.sendCommand(["ACL", "SETUSER", "quintet", "resetpass", ">other"]);
    expect(await all()).toMatchObject([
      { state: "fail", advice: expect.stringContaining("Correct the user and password in QUINTET_REDIS_URL.") },
    ]);
  });

  const doctorStates = async (url: string): Promise<readonly string[]> => {
    const variables = { QUINTET_REDIS_URL: url };
    return [...(await of("redis", variables)), ...(await of("redis memory", variables))].map(({ state }) => state);
  };

  test("must evict no keys", async () => {
    const memory = () => of("redis memory", { QUINTET_REDIS_URL: server.url });
    expect(await memory()).toMatchObject([{ state: "ok", message: "evicts no keys" }]);
    const client = await createClient({ url: server.url }).connect();
    onTestFinished(() => client.destroy());
    await client.configSet("maxmemory-policy", "allkeys-lru");
    expect(await memory()).toEqual([
      {
        state: "fail",
        subject: "redis memory",
        message: "evicts keys when it runs out of memory: maxmemory-policy is allkeys-lru",
        advice: "Set it to noeviction: no server starts with this policy.",
      },
    ]);
  });
});
