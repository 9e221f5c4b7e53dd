// The last release and this version beside each other, forwards and back, with keys, plans, subscriptions and quota in use: over one
// PostgreSQL and Redis while customers call, and one after the other on one embedded database.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { planFile, type TestPlan } from "../../fixtures/plan-file.ts";
import { run, type ServerProcess, START, serve, type Variables } from "../../fixtures/program.ts";
import { ROOT } from "../../fixtures/root.ts";
import { type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { type RedisServer, startRedis } from "../../fixtures/servers/redis.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { git, lastRelease, lastReleaseEntry, lastTag } from "./last-release.ts";

const SMALL = 200;
const plan = (name: string, callsPerMonth: number, priceMinor = 0): TestPlan => ({
  ...{ name, callsPerMonth, priceMinor, requestsPerSecond: 100_000, currency: "EUR" },
});
const BEFORE = [plan("free", 1_000_000), plan("small", SMALL, 100), plan("pro", 500_000, 499)];
const AFTER = [plan("free", 1_000_000), plan("small", SMALL / 2, 100), plan("pro", 400_000, 599)];

describeWith("missing" in lastRelease ? lastRelease : postgres, "this version and the last release", () => {
  const { path: folder, remove } = makeTemporaryDirectory();
  let last = "";
  let server: PostgresServer;
  let redis: RedisServer;
  let variables: Variables;

  beforeAll(async () => {
    last = lastReleaseEntry();
    [server, redis] = await Promise.all([startPostgres(), startRedis()]);
  });
  afterAll(async () => {
    await Promise.all([server.close(), redis.close()]);
    remove();
  });

  async function printed(entry: string, line: string): Promise<string> {
    const { code, out, err } = await run(line, variables, entry);
    expect({ line, code, err }).toEqual({ line, code: 0, err: "" });
    return out;
  }
  const plansFile = (name: string, farkle: readonly TestPlan[]): string => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, planFile({ farkle }));
    return path;
  };
  async function subscribe(entry: string, account: string, name: string): Promise<string> {
    await printed(entry, `account create ${account}`);
    await printed(entry, `subscription create ${account} farkle --plan ${name}`);
    await printed(entry, `subscription activate ${account} farkle`);
    return newKey(entry, account);
  }
  const newKey = async (entry: string, account: string): Promise<string> =>
    JSON.parse(await printed(entry, `key create ${account} --json`)).secret;
  async function revoke(entry: string, account: string, secret: string): Promise<void> {
    const { keys } = JSON.parse(await printed(entry, `key list ${account} --json`));
    await printed(entry, `key revoke ${keys.find(({ last_four: four }: { last_four: string }) => secret.endsWith(four)).id}`);
  }
  async function started(entry: string, more: Variables = {}): Promise<ServerProcess> {
    const own = await serve({ ...variables, QUINTET_WORKERS: "1", ...more }, entry);
    onTestFinished(() => own.signal("SIGKILL"));
    return own;
  }
  async function stopped({ signal, ended }: ServerProcess): Promise<void> {
    signal("SIGTERM");
    const { code, err } = await ended;
    expect([code, err.split("\n").filter((line) => /"level":[56]0/.test(line))]).toEqual([0, []]);
  }
  // A server that has just started may refuse a call for a moment, because its buckets begin empty: docs/operate/limits.md.
  async function call({ origin }: ServerProcess, key: string): Promise<number | string> {
    for (;;) {
      const response = await fetch(`${origin}/farkle/v1/score?dice=1,1`, { headers: { "x-gateway-key": key } });
      const { error } = (await response.json()) as { error?: { reason: string } };
      if (error?.reason !== "RATE_LIMITED") {
        return error?.reason ?? response.status;
      }
      await setTimeout(Number(response.headers.get("retry-after")) * 1000);
    }
  }
  // What is left is found by calling: over servers in turn, until none admits a call.
  async function spendAll(servers: readonly ServerProcess[], key: string): Promise<number> {
    let admitted = 0;
    const refused = new Set<ServerProcess>();
    for (let turn = 0; refused.size < servers.length; turn++) {
      const each = servers[turn % servers.length] as ServerProcess;
      const got = await call(each, key);
      if (got === 200) {
        admitted++;
        refused.clear();
      } else {
        expect(got).toBe("QUOTA_EXCEEDED");
        refused.add(each);
      }
    }
    return admitted;
  }
  const usageOf = async (entry: string, account: string): Promise<unknown> => {
    const { services } = JSON.parse(await printed(entry, `usage ${account} --service farkle --json`));
    return [services[0].calls, services[0].counted];
  };
  const termsOf = async (entry: string, account: string): Promise<unknown> => {
    const { subscriptions } = JSON.parse(await printed(entry, `account show ${account} --json`));
    return subscriptions;
  };

  test.skipIf(lastTag === undefined)("have the same migrations, once there is a tag of a release", () => {
    const tag = lastTag ?? "";
    const paths = git("ls-tree", "--name-only", tag, "src/store/migrations/")?.split("\n") ?? [];
    const now = paths.map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8").trim() }));
    expect(now).toEqual(paths.map((path) => ({ path, text: git("show", `${tag}:${path}`) })));
  });

  test("serve one PostgreSQL together: no call is lost, none is admitted over the quota, and both obey each other's changes", async () => {
    variables = {
      QUINTET_DATABASE_URL: await server.createDatabase(),
      QUINTET_REDIS_URL: redis.url,
      QUINTET_PLANS: plansFile("before", BEFORE),
    };
    const dataDir = (): Variables => {
      const own = join(folder, crypto.randomUUID());
      mkdirSync(own);
      return { QUINTET_DATA_DIR: own };
    };
    variables = { ...variables, ...dataDir() };
    await printed(last, "migrate");
    const old = [await started(last, dataDir()), await started(last, dataDir())] as [ServerProcess, ServerProcess];
    const key = await subscribe(last, "acme", "pro");
    const [small, other] = [await subscribe(last, "small", "small"), await subscribe(last, "other", "small")];
    const terms = await termsOf(last, "acme");

    // A customer who calls all the while, any server that is in service.
    let inService: readonly ServerProcess[] = old;
    let isOver = false;
    const answers = new Map<number | string, number>();
    const calling = Array.from({ length: 3 }, async () => {
      for (let turn = 0; !isOver; turn++) {
        const got = await call(inService[turn % inService.length] as ServerProcess, key);
        answers.set(got, (answers.get(got) ?? 0) + 1);
        await setTimeout(5);
      }
    });
    const replace = async (leaving: ServerProcess, coming: ServerProcess): Promise<void> => {
      inService = inService.map((each) => (each === leaving ? coming : each));
      await stopped(leaving);
    };

    await printed(START, "migrate");
    const first = await started(START, dataDir());
    await replace(old[0], first);
    const both = [old[1], first] as const;

    // Keys and accounts of either, on both.
    for (const [entry, name] of [
      [START, "by-this"],
      [last, "by-last"],
    ] as const) {
      const own = await subscribe(entry, name, "pro");
      expect(await Promise.all(both.map((each) => call(each, own)))).toEqual([200, 200]);
      await revoke(entry === last ? START : last, name, own);
      expect(await Promise.all(both.map((each) => call(each, own)))).toEqual(["KEY_REVOKED", "KEY_REVOKED"]);
    }
    // The month's quota is one, whoever admits the calls.
    expect(await spendAll(both, small)).toBe(SMALL);
    // Plans of this version: whoever had a plan keeps its terms, and new subscribers get the new ones from both.
    await printed(START, `plans apply ${plansFile("after", AFTER)}`);
    expect([await termsOf(last, "acme"), await termsOf(START, "acme")]).toEqual([terms, terms]);
    const late = await subscribe(last, "late", "small");
    expect([await spendAll(both, late), await spendAll(both, other)]).toEqual([SMALL / 2, SMALL]);
    // And of the last release.
    await printed(last, `plans apply ${plansFile("before", BEFORE)}`);
    expect(await spendAll(both, await subscribe(START, "later", "small"))).toBe(SMALL);

    const second = await started(START, dataDir());
    await replace(old[1], second);
    expect(await call(second, small)).toBe("QUOTA_EXCEEDED");

    // And back.
    await printed(last, "migrate");
    const back = await started(last, dataDir());
    await replace(first, back);
    const created = await newKey(START, "acme");
    expect(await Promise.all([second, back].map((each) => call(each, created)))).toEqual([200, 200]);
    inService = [back];
    await stopped(second);
    expect([await call(back, created), await call(back, small)]).toEqual([200, "QUOTA_EXCEEDED"]);
    isOver = true;
    await Promise.all(calling);
    await stopped(back);
    const answered = answers.get(200) ?? 0;
    expect([...answers]).toEqual([[200, answered]]);
    expect(answered).toBeGreaterThan(100);
    // The three are of the key that was made above.
    expect([await usageOf(last, "acme"), await usageOf(START, "acme")]).toEqual(
      Array.from({ length: 2 }, () => [answered + 3, answered + 3]),
    );
  });

  test("serve one embedded database one after the other, and restore each other's backups", async () => {
    const own = join(folder, "embedded");
    mkdirSync(own);
    variables = {
      QUINTET_DATA_DIR: own,
      // Much more than what a restore charges for the seconds that it takes on a busy machine.
      QUINTET_PLANS: plansFile("embedded", [{ ...plan("small", 100_000), requestsPerSecond: 20 }]),
    };
    await printed(last, "migrate");
    await printed(last, "account create acme");
    await printed(last, "subscription create acme farkle --plan small");
    const key = await newKey(last, "acme");
    const terms = await termsOf(last, "acme");
    const keys = [key];
    let calls = 0;
    for (const entry of [last, START, last, START]) {
      const each = await started(entry);
      for (const existing of keys) {
        expect(await call(each, existing)).toBe(200);
        calls++;
      }
      keys.push(await newKey(entry, "acme"));
      await printed(entry, `backup ${join(folder, `${keys.length}.backup`)}`);
      await stopped(each);
      expect([await usageOf(entry, "acme"), await termsOf(entry, "acme")]).toEqual([[calls, calls], terms]);
    }
    // Each restores what the other has written; the newer one first, because a restore leaves keys revoked that it removed.
    for (const [entry, backup] of [
      [last, 5],
      [START, 4],
    ] as const) {
      await printed(entry, `restore ${join(folder, `${backup}.backup`)} --since ${new Date().toISOString()}`);
      const each = await started(entry);
      expect(await Promise.all(keys.slice(0, backup).map((existing) => call(each, existing)))).toEqual(
        keys.slice(0, backup).map(() => 200),
      );
      await stopped(each);
    }
  });
});
