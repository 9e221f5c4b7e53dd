// Two servers that share PostgreSQL and Redis, started as operators do, each at its own address and both on the same port, so that one name
// with two addresses reaches them. And the customer who calls them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { planFile } from "../../fixtures/plan-file.ts";
import { run, type ServerProcess, serve, type Variables } from "../../fixtures/program.ts";
import { type PostgresServer, startPostgres } from "../../fixtures/servers/postgres.ts";
import { type RedisServer, startRedis } from "../../fixtures/servers/redis.ts";
import { freePort } from "../../fixtures/servers/server-process.ts";

/** The addresses of the two. */
export const HOSTS = ["127.0.0.1", "127.0.0.2"] as const;

// A run makes far fewer calls, and a lease is a small part of the plan, so that many are taken and returned.
const PLAN = { name: "free", callsPerMonth: 1_000_000, requestsPerSecond: 100_000 };

/** What the store contains when both have stopped. */
export interface Counted {
  /** Calls in the usage history, by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Calls that are leased from the month's quota. */
  readonly leased: number;
}

interface Row {
  readonly outcome: string;
  readonly calls: number;
}

/** The two servers. */
export class Nodes {
  readonly key: string;
  readonly port: number;
  readonly #postgres: PostgresServer;
  readonly #redis: RedisServer;
  readonly #variables: Variables;
  readonly #processes: ServerProcess[] = [];

  private constructor(options: { key: string; port: number; postgres: PostgresServer; redis: RedisServer; variables: Variables }) {
    this.key = options.key;
    this.port = options.port;
    this.#postgres = options.postgres;
    this.#redis = options.redis;
    this.#variables = options.variables;
  }

  /** Starts both, and creates the customer. */
  static async start(directory: string, settings: Variables): Promise<Nodes> {
    const [postgres, redis, port] = await Promise.all([startPostgres(), startRedis(), freePort()]);
    const plans = join(directory, "plans.json");
    writeFileSync(plans, planFile({ farkle: [PLAN] }));
    const variables = {
      QUINTET_DATA_DIR: directory,
      QUINTET_DATABASE_URL: await postgres.createDatabase(),
      QUINTET_REDIS_URL: redis.url,
      QUINTET_PLANS: plans,
      QUINTET_PORT: String(port),
      QUINTET_LOG_LEVEL: "info",
      ...settings,
    };
    await run("migrate", variables);
    await run("account create acme", variables);
    await run("subscription create acme farkle", variables);
    const key: string = JSON.parse((await run("key create acme --json", variables)).out).secret;
    const nodes = new Nodes({ key, port, postgres, redis, variables });
    await Promise.all(HOSTS.map((_, node) => nodes.#start(node)));
    return nodes;
  }

  /** Stops a node with SIGTERM, as orchestrators do, waits for its clean exit, and starts it again. */
  async restart(node: number): Promise<void> {
    await this.#stop(node);
    await this.#start(node);
  }

  /** Stops both, and returns what they have counted. */
  async stop(): Promise<Counted> {
    await Promise.all(this.#processes.map((_, node) => this.#stop(node)));
    const { out } = await run("usage acme --service farkle --json", this.#variables);
    const [{ by_method, standing }] = JSON.parse(out).services;
    return { outcomes: Object.fromEntries(by_method.map((row: Row) => [row.outcome, row.calls])), leased: standing.leased };
  }

  async close(): Promise<void> {
    for (const { signal, ended } of this.#processes) {
      signal("SIGKILL");
      await ended;
    }
    await this.#redis.close();
    await this.#postgres.close();
  }

  async #start(node: number): Promise<void> {
    this.#processes[node] = await serve({ ...this.#variables, QUINTET_HOST: HOSTS[node] ?? "" });
  }

  async #stop(node: number): Promise<void> {
    const { signal, ended } = this.#processes[node] as ServerProcess;
    signal("SIGTERM");
    const { code, err } = await ended;
    const complaints = err.split("\n").filter((line) => /"level":[56]0/.test(line));
    if (code !== 0 || complaints.length > 0) {
      throw new Error(`${HOSTS[node]} ended with ${code}:\n${complaints.join("\n")}`);
    }
  }
}
