// Connections to PostgreSQL: how many, how long each step may take, and how a broken one is replaced. This detects a server that died
// silently, and connects to its successor.
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import pg from "pg";
import type { DatabaseConfig } from "../../config/many-nodes.ts";
import type { Clock } from "../../runtime/clock.ts";
import { APPLICATION_NAME } from "../repositories/change-protocol.ts";
import { PreparedStatements } from "./prepared-statements.ts";

/** Timeouts, in milliseconds. */
export interface PostgresTimeouts {
  /** How long to wait for a connection, new or from the pool. */
  readonly connectMs: number;
  /** How long a statement may take before the server cancels it. */
  readonly statementMs: number;
  /** How long the server waits for a row that another transaction has locked. */
  readonly lockMs: number;
  /** How long we wait for a response before we drop the connection. Longer than the server's own limits. */
  readonly responseMs: number;
  /** How long a connection is used: an old one may lead to a server that the address no longer names. */
  readonly ageMs: number;
}

const AGE_MS = 300_000;

/** In a server, calls wait. In a command only a person or a migration waits, and both can wait longer. */
export const TIMEOUTS: Record<"server" | "command" | "listener", PostgresTimeouts> = {
  server: { connectMs: 2000, statementMs: 1500, lockMs: 1000, responseMs: 2000, ageMs: AGE_MS },
  listener: { connectMs: 2000, statementMs: 1000, lockMs: 1000, responseMs: 1000, ageMs: AGE_MS },
  command: { connectMs: 10_000, statementMs: 600_000, lockMs: 60_000, responseMs: 610_000, ageMs: AGE_MS },
};

// Settings that writing sessions depend on, whatever the server's defaults are. A commit must wait for the disk, and for the disk of a
// synchronous standby if there is one: if a crash lost a lease, its calls would be granted twice. remote_apply waits for even more, so it
// is left as it is.
const SESSION = `
  select set_config('synchronous_commit', case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, false),
    set_config('default_transaction_isolation', 'read committed', false),
    set_config('default_transaction_read_only', 'off', false), pg_is_in_recovery() as is_standby
`;

// What a server says that can no longer be written to, is stopping or has ended this connection.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
const WRONG_SERVER = /^(?:25006|57P0\d)$/;

const INT8_OID = 20;
const CLOSING_MS = 3000;

/** The driver's options for one connection. The connection string takes precedence. */
export function connectionOptions(url: string, timeouts: PostgresTimeouts): pg.ClientConfig {
  return {
    // sslmode as PostgreSQL's own programs understand it. The driver interprets it more strictly, and warns about that.
    connectionString: `${url}${url.includes("?") ? "&" : "?"}uselibpqcompat=true`,
    application_name: APPLICATION_NAME,
    keepAlive: true,
    connectionTimeoutMillis: timeouts.connectMs,
    statement_timeout: timeouts.statementMs,
    lock_timeout: timeouts.lockMs,
    idle_in_transaction_session_timeout: timeouts.responseMs,
    query_timeout: timeouts.responseMs,
    types: {
      // Times and counts are far below 2^53.
      getTypeParser: (oid, format) => (oid === INT8_OID && format !== "binary" ? Number : pg.types.getTypeParser(oid, format)),
    },
  };
}

interface PoolOptions {
  readonly database: Pick<DatabaseConfig, "url" | "connectionsMax">;
  readonly timeouts: PostgresTimeouts;
  readonly clock: Clock;
  /** Called when an idle connection was lost. */
  readonly onLost: (error: Error) => void;
  /** Called after each statement that a connection of the pool has run. */
  readonly onResponse?: (() => void) | undefined;
}

/** A pool of connections that stay open. Ending it waits for the server to close them, for three seconds at most. */
export function createPool({ database, timeouts, clock, onLost, onResponse }: PoolOptions): PostgresPool {
  const pool = new pg.Pool({
    ...connectionOptions(database.url, timeouts),
    max: database.connectionsMax,
    idleTimeoutMillis: 0,
    maxLifetimeSeconds: timeouts.ageMs / 1000,
    onConnect: beginSession,
  });
  const clients = new Set<pg.PoolClient>();
  const prepared = new PreparedStatements();
  pool.on("error", onLost);
  pool.on("connect", (client) => {
    clients.add(client);
    // A connection in use may break between two statements. The next statement fails; without a listener the process would end.
    client.on("error", () => {});
  });
  pool.on("remove", (client) => clients.delete(client));
  return {
    options: pool.options,
    connect: async () => new PooledConnection(await pool.connect(), prepared, onResponse),
    async end() {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancel = clock.after(CLOSING_MS, resolve);
      await Promise.race([pool.end(), late]);
      cancel();
      clients.forEach(unrefConnection);
    },
  };
}

async function beginSession(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ is_standby: boolean }>(SESSION);
  if (rows[0]?.is_standby !== false) {
    throw new Error("the server is a standby, which accepts no changes");
  }
}

/** Lets the process end while the connection is open, because its server may be gone. The driver's types lack `unref`. */
export function unrefConnection(client: pg.ClientBase & { unref?(): void }): void {
  client.unref?.();
}

const BEGIN = /^(?:begin|start transaction)\b/;
const END = /^(?:commit|rollback)$/;

class PooledConnection implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #prepared: PreparedStatements;
  readonly #onResponse: PoolOptions["onResponse"];
  #broken: unknown;
  #isInTransaction = false;

  constructor(client: pg.PoolClient, prepared: PreparedStatements, onResponse: PoolOptions["onResponse"]) {
    this.#client = client;
    this.#prepared = prepared;
    this.#onResponse = onResponse;
  }

  // The driver's type covers cursors too, which are not used here.
  query = (async (text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<unknown>> => {
    if (this.#broken !== undefined) {
      throw this.#broken;
    }
    this.#isInTransaction = BEGIN.test(text) || (this.#isInTransaction && !END.test(text));
    // Not in a transaction, which would fail if the statement was prepared before a migration.
    const name = this.#isInTransaction || parameters.length === 0 ? undefined : this.#prepared.nameOf(text);
    try {
      return await this.#run(text, parameters, name);
    } catch (error) {
      if (name !== undefined && this.#prepared.isOutdated(error)) {
        return await this.#run(text, parameters, undefined);
      }
      throw error;
    }
  }) as PostgresPoolClient["query"];

  async #run(text: string, parameters: readonly unknown[], name: string | undefined): Promise<PostgresQueryResult<unknown>> {
    try {
      const values = [...parameters];
      const result = await this.#client.query(name === undefined ? { text, values } : { name, text, values });
      this.#onResponse?.();
      return result as unknown as PostgresQueryResult<unknown>;
    } catch (error) {
      // After an error that the server sent, the connection is still good, unless it leads to the wrong server. After any other error it is
      // dropped, without even a rollback.
      if (!(error instanceof pg.DatabaseError) || WRONG_SERVER.test(error.code ?? "")) {
        this.#broken = error;
      }
      throw error;
    }
  }

  release(): void {
    this.#client.release(this.#broken !== undefined);
  }
}
