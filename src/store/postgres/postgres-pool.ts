// Connections to PostgreSQL: how many, how long each step may take, and how one that has gone bad is thrown away, so that a server that
// died without a word is found out and a new one is found by itself.
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import pg from "pg";
import type { DatabaseConfig } from "../../config/many-nodes.ts";
import type { Clock } from "../../runtime/clock.ts";

/** How long things may take, in milliseconds. */
export interface PostgresTimeouts {
  /** Until a connection is there, new or out of the pool. */
  readonly connectMs: number;
  /** Until a statement is given up by the server. */
  readonly statementMs: number;
  /** Until a row that another transaction holds is given up by the server. */
  readonly lockMs: number;
  /** Until an answer is given up by us, and the connection with it: later than the server should have given up. */
  readonly answerMs: number;
}

// What the sessions that write depend on, whatever the server's own defaults are. What is committed is on the disk, and on that of a standby
// that the server waits for: a lease that a crash of the server forgets would be granted twice. remote_apply waits for even more.
const SESSION = `
  select set_config('synchronous_commit', case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, false),
    set_config('default_transaction_isolation', 'read committed', false),
    set_config('default_transaction_read_only', 'off', false)
`;

const INT8_OID = 20;
const CLOSING_MS = 3000;

/** What the driver is told of one connection. What the connection string says of these goes before. */
export function connectionOptions(url: string, timeouts: PostgresTimeouts): pg.ClientConfig {
  return {
    // The words for TLS as PostgreSQL's own programs understand them; the driver has stricter meanings of its own, and warns of that.
    connectionString: `${url}${url.includes("?") ? "&" : "?"}uselibpqcompat=true`,
    application_name: "quintet",
    keepAlive: true,
    connectionTimeoutMillis: timeouts.connectMs,
    statement_timeout: timeouts.statementMs,
    lock_timeout: timeouts.lockMs,
    idle_in_transaction_session_timeout: timeouts.answerMs,
    query_timeout: timeouts.answerMs,
    types: {
      // Times and counts are far below 2^53.
      getTypeParser: (oid, format) => (oid === INT8_OID && format !== "binary" ? Number : pg.types.getTypeParser(oid, format)),
    },
  };
}

/** What a pool is made from. */
export interface PoolOptions {
  readonly database: DatabaseConfig;
  readonly timeouts: PostgresTimeouts;
  readonly clock: Clock;
  /** An unused connection has broken. */
  readonly onLost: (error: Error) => void;
}

/** A pool of connections, kept open once they are. Ending it waits for the server's goodbye, three seconds at most. */
export function createPool({ database, timeouts, clock, onLost }: PoolOptions): PostgresPool {
  const pool = new pg.Pool({
    ...connectionOptions(database.url, timeouts),
    max: database.connectionsMax,
    idleTimeoutMillis: 0,
    onConnect: (client) => client.query(SESSION),
  });
  const clients = new Set<pg.PoolClient>();
  pool.on("error", onLost);
  pool.on("connect", (client) => {
    clients.add(client);
    // A connection in use may break between two statements. The next one finds out; without an ear the process would end.
    client.on("error", () => {});
  });
  pool.on("remove", (client) => clients.delete(client));
  return {
    options: pool.options,
    connect: async () => new PooledConnection(await pool.connect()),
    async end() {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancel = clock.after(CLOSING_MS, resolve);
      await Promise.race([pool.end(), late]);
      cancel();
      clients.forEach(leave);
    },
  };
}

/** Lets the process end though the connection is there: its server may be gone. The driver's types do not have what this calls. */
export function leave(client: pg.ClientBase & { unref?(): void }): void {
  client.unref?.();
}

class PooledConnection implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  #broken: unknown;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  // Typed for both of the driver's forms; there are no cursors here.
  query = (async (text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<unknown>> => {
    if (this.#broken !== undefined) {
      throw this.#broken;
    }
    try {
      return (await this.#client.query(text, [...parameters])) as unknown as PostgresQueryResult<unknown>;
    } catch (error) {
      // What the server itself says leaves the connection good. Otherwise nobody waits for it a second time, not even to roll back.
      if (!(error instanceof pg.DatabaseError)) {
        this.#broken = error;
      }
      throw error;
    }
  }) as PostgresPoolClient["query"];

  release(): void {
    this.#client.release(this.#broken !== undefined);
  }
}
