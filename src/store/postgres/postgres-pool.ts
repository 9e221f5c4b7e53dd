// Connections to PostgreSQL: how many, how long each step may take, and how a broken one is replaced. This detects a server that died
// silently, and connects to its successor.

import { LruMap } from "@quintet/guard";
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import pg from "pg";
import type { DatabaseConfig } from "../../config/many-nodes.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { FailureKind } from "../backend.ts";
import type { RunStatement, Statement } from "../repositories/change-log.ts";
import { APPLICATION_NAME } from "../repositories/change-log.ts";

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

const INTEGRITY_CONSTRAINT = "23";
// Data exceptions, invalid transaction terminations, and violations of syntax or access rules: the statement itself was wrong.
const OUR_FAULTS = ["22", "2D", "42"];

/** What a query's error means. */
export function failureKindOf(error: unknown): FailureKind {
  if (error instanceof pg.DatabaseError) {
    const sqlState = error.code ?? "";
    if (sqlState.startsWith(INTEGRITY_CONSTRAINT)) {
      return "conflict";
    }
    // The statement was right, but the database could not run it: it is shutting down, out of memory or connections, read-only after a
    // failover, or the statement timed out or was in a deadlock.
    return OUR_FAULTS.some((errorClass) => sqlState.startsWith(errorClass)) ? "defect" : "unavailable";
  }
  return isConnectionError(error) ? "unavailable" : "defect";
}

// Whether the server could not be reached or the connection was lost. The driver throws a plain Error then; errors of the operating system
// have a code.
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof pg.DatabaseError) {
    return false;
  }
  return Object.getPrototypeOf(error) === Error.prototype || "code" in error;
}

// A statement is prepared when it is used for the fifth time, and each connection keeps at most 100, much as psycopg does by default.
// https://www.psycopg.org/psycopg3/docs/advanced/prepare.html
const USES_MIN = 5;
const NAMES_MAX = 100;
const COUNTED_MAX = 1000;

// A migration has changed what a prepared statement returns. https://www.postgresql.org/docs/current/errcodes-appendix.html
const FEATURE_NOT_SUPPORTED = "0A000";

/** The names of a pool's statements. */
export class PreparedStatements {
  readonly #uses = new LruMap<string, number>(COUNTED_MAX);
  readonly #names = new Map<string, string>();
  #isOff = false;

  /** The name of a statement that is about to run; undefined if it runs unprepared. */
  nameOf(text: string): string | undefined {
    if (this.#isOff) {
      return undefined;
    }
    const name = this.#names.get(text);
    if (name !== undefined || this.#names.size >= NAMES_MAX) {
      return name;
    }
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses < USES_MIN) {
      this.#uses.set(text, uses);
      return undefined;
    }
    this.#uses.delete(text);
    const added = `quintet_${this.#names.size + 1}`;
    this.#names.set(text, added);
    return added;
  }

  /**
   * Whether a statement failed because it was prepared before a migration. It has changed nothing, and can run unprepared. From then on no
   * statement is prepared, because a server of the version before the migration is about to be replaced.
   */
  isOutdated(error: unknown): boolean {
    const isOutdated = error instanceof pg.DatabaseError && error.code === FEATURE_NOT_SUPPORTED;
    this.#isOff ||= isOutdated;
    return isOutdated;
  }
}

export class StatementQueue {
  readonly client: pg.Client;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: pg.ClientConfig) {
    this.client = new pg.Client(options);
  }

  /** Runs a statement once all earlier ones have ended. */
  readonly run: RunStatement = async <Row>({ name, text, values }: Statement) =>
    (await this.#next(() => this.client.query({ name, text, values: [...values] }))).rows as readonly Row[];

  /** Runs statements without parameters in one transaction, once all earlier statements have ended. */
  async runScript(text: string): Promise<void> {
    await this.#next(() => this.client.query(text));
  }

  #next<Result>(work: () => Promise<Result>): Promise<Result> {
    const running = this.#last.then(work);
    this.#last = running.catch(() => {});
    return running;
  }
}
