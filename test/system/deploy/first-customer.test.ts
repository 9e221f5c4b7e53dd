// From nothing to a paying customer on two servers, by the commands of the pages, as a company would on its first day: a fresh copy is installed
// and built, two servers share PostgreSQL and Redis, plans are offered, and a customer signs up, gets a paid plan and calls both servers.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { readPage } from "../../../scripts/docs/tables.ts";
import { type ServerProcess, serve } from "../../fixtures/program.ts";
import { ROOT } from "../../fixtures/root.ts";
import { type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { type RedisServer, redis, startRedis } from "../../fixtures/servers/redis.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { examplesOf } from "../docs/examples.ts";

const WALK_MS_MAX = 600_000;
/** Of the paid plan in the page's file. */
const RATE = 8;
const CALLS = 20;

// What Vitest sets for its own processes must not reach others.
const ownVariables = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|VITE|NODE_ENV|TEST)/.test(name)));

/** The example of a page that begins with this command, with what only the reader can know put in. It must be there. */
function commands(page: string, beginning: string, values: Readonly<Record<string, string>> = {}): string {
  const found = examplesOf(readPage(page)).find(({ text }) => text.startsWith(beginning));
  const { text = "" } = found ?? {};
  for (const shown of ["\n", ...Object.keys(values)].filter((each) => !text.includes(each))) {
    throw new Error(`${page} has no ${beginning} with ${shown}`);
  }
  return Object.entries(values).reduce((changed, [shown, value]) => changed.replaceAll(shown, value), text);
}

describeWith("missing" in redis ? redis : postgres, "A company's first day", () => {
  const { path: folder, remove } = makeTemporaryDirectory();
  const project = join(folder, "quintet");
  let database: PostgresServer;
  let cache: RedisServer;

  beforeAll(async () => {
    [database, cache] = await Promise.all([startPostgres(), startRedis()]);
  });
  afterAll(async () => {
    await Promise.all([database.close(), cache.close()]);
    remove();
  });

  test(
    "ends within ten minutes with a paid plan whose calls two servers count together",
    async () => {
      mkdirSync(project);
      const copy = 'git ls-files -z --cached | tar --null --files-from=- --create | tar --extract --directory "$1"';
      execFileSync("sh", ["-c", copy, "copy", project], { cwd: ROOT });
      // Any of the commands may fail, not only the last.
      const shell = (text: string, variables: Readonly<Record<string, string>> = {}): string =>
        execFileSync("sh", ["-ec", text], {
          cwd: project,
          encoding: "utf8",
          env: { ...ownVariables, ...variables },
          stdio: ["ignore", "pipe", "pipe"],
          timeout: WALK_MS_MAX,
        });

      const [start = "", ...before] = commands("docs/operate.md", "npm ci\nnpm run build:server\n").trim().split("\n").toReversed();
      shell(before.toReversed().join("\n"));
      const url = await database.createDatabase();
      const stores = { QUINTET_DATABASE_URL: url, QUINTET_REDIS_URL: cache.url };
      const together = commands("docs/operate/network.md", "export QUINTET_DATABASE_URL=", {
        "postgres://quintet:secret@db.example/quintet?sslmode=verify-full": url,
        "rediss://redis.example:6379/0": cache.url,
        "npm start\n": "",
      });
      shell(together);
      const entry = join(project, /dist\S+/.exec(start)?.[0] ?? "");
      const started = async (name: string): Promise<ServerProcess> => {
        const data = join(folder, name);
        mkdirSync(data);
        const own = await serve({ ...stores, QUINTET_DATA_DIR: data }, entry);
        onTestFinished(() => own.signal("SIGKILL"));
        return own;
      };
      const servers = [await started("first"), await started("second")] as const;
      const [{ origin }] = servers;

      shell(commands("docs/operate/plans.md", "cat > plans.json"));
      shell(commands("docs/operate/plans.md", "npm run -s quintet -- plans diff"), stores);

      // The customer, with a shell of their own.
      const here = { "http://127.0.0.1:8080": origin };
      const signedUp = shell(commands("docs/accounts.md", `curl -s -H 'content-type: application/json' -d '{"email":`, here));
      const { name } = JSON.parse(signedUp).data.session.account;
      const signIn = commands("docs/accounts.md", "TOKEN=", here);
      const owner = `curl -s -H "authorization: Bearer $TOKEN" -H 'content-type: application/json'`;
      const asOwner = (rest: string): string => shell(`${signIn}${commands("docs/accounts.md", `${owner} ${rest}`, here)}`);
      expect(JSON.parse(asOwner(`-X PUT -d '{"plan":"pro"}'`)).data.subscription).toMatchObject({
        ...{ service: "farkle", plan: "free", requested_plan: "pro", state: "active" },
      });
      const [activate = ""] = /^npm run .* subscription activate acme farkle\b/m.exec(readPage("docs/operate.md")) ?? [];
      shell(activate.replace("acme", name), stores);
      const { secret } = JSON.parse(asOwner(`-d '{"name":"ci"`)).data;

      const call = async ({ origin: server }: ServerProcess): Promise<string> => {
        const { status, headers } = await fetch(`${server}/farkle/v1/score?dice=1,1`, { headers: { "x-gateway-key": secret } });
        return `${status}, ${/q=\d+;w=1\b/.exec(headers.get("ratelimit-policy") ?? "")}`;
      };
      for (const server of servers) {
        await expect.poll(() => call(server)).toBe(`200, q=${RATE};w=1`);
      }
      // A bucket holds the calls of a second, and both servers take from the same one.
      const beganMs = performance.now();
      const answers = await Promise.all(servers.flatMap((server) => Array.from({ length: CALLS }, () => call(server))));
      const seconds = (performance.now() - beganMs) / 1000;
      const admitted = answers.filter((answer) => answer === `200, q=${RATE};w=1`).length;
      expect(answers.filter((answer) => answer === `429, q=${RATE};w=1`)).toHaveLength(answers.length - admitted);
      expect(admitted).toBeLessThanOrEqual(RATE * (1 + seconds));
    },
    WALK_MS_MAX,
  );
});
