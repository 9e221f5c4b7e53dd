// The database that several nodes share: PostgreSQL, for any number of servers and commands on any machine. Only
// `quintet migrate` creates or changes the schema.
import { CompiledQuery, Kysely, PostgresDialect, sql } from "kysely";
import type { DatabaseConfig } from "../../config/many-nodes.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Backend, SchemaView } from "../backend.ts";
import type { OnChange } from "../changes.ts";
import type { NodeStatus } from "../node-status.ts";
import { ACKNOWLEDGED, Acknowledgements } from "../repositories/acknowledgements.ts";
import {
  addPendingChange,
  announceChanges,
  incompatiblePeers,
  type RunStatement,
  type Statement,
} from "../repositories/change-log.ts";
import { appliedByAll, nodesBehind, registeredNodes } from "../repositories/node-registry.ts";
import type { Queries, Tables } from "../schema.ts";
import { ChangeAnnouncer } from "./change-announcer.ts";
import { PostgresChangeListener } from "./change-listener.ts";
import { postgresLeases } from "./postgres-leases.ts";
import { connectionOptions, createPool, failureKindOf, TIMEOUTS } from "./postgres-pool.ts";

// Connections that are opened before the first call arrives: opening one takes several round trips, and a call would wait for it. A command
// has to wait for its first connection anyway.
const WARM_CONNECTIONS = { server: 10, command: 0 };

// An arbitrary number that no other program is likely to use on the database.
const MIGRATION_LOCK = 7_145_290_117;

interface PostgresOptions {
  readonly database: DatabaseConfig;
  readonly clock: Clock;
  readonly log: Log;
  /** A server receives changes; a command only announces them. */
  readonly role: "server" | "command";
  readonly status: NodeStatus;
  readonly onChange: OnChange;
}

/** Opens the database. Rejects with the driver's error if the database cannot be reached. */
export async function openPostgres({ database, clock, log, role, status, onChange }: PostgresOptions): Promise<Backend> {
  const onLost = (error: Error): void => log.debug({ err: error }, "A connection to the database was lost");
  const onResponse = role === "server" ? () => status.setLeasableUntil(clock.monotonicMs() + database.staleAfterMs) : undefined;
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: createPool({ database, timeouts: TIMEOUTS[role], clock, onLost, onResponse }) }),
  });
  const connection = connectionOptions(database.url, TIMEOUTS.listener);
  // A command is not a node and has no id.
  let self: string | undefined;
  const runOnPool: RunStatement = async <Row>({ text, values }: Statement) =>
    (await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows;
  const run: RunStatement = (statement) => (changeListener?.run ?? runOnPool)(statement);
  const announcer = new ChangeAnnouncer({ clock, announce: (ids) => announceChanges(run, ids) });
  const acknowledgements = new Acknowledgements({
    clock,
    appliedByAll: () => appliedByAll(run, self),
    behind: (number) => nodesBehind(db, number, self),
    aliveNodes: () => status.aliveNodes,
  });
  let changeListener: PostgresChangeListener | undefined;
  try {
    const ids = Array.from({ length: Math.min(WARM_CONNECTIONS[role], database.connectionsMax) }, () => announcerId(db));
    [self] = await Promise.all(ids);
    const { staleAfterMs } = database;
    changeListener =
      self !== undefined
        ? new PostgresChangeListener({
            connection,
            clock,
            log,
            node: self,
            status,
            staleAfterMs,
            onChange,
            onForgotten: (number) => announcer.forget(number),
            ageMs: TIMEOUTS.listener.ageMs,
            probePool: () => sql`select`.execute(db),
          })
        : undefined;
  } catch (error) {
    await db.destroy();
    throw error;
  }
  // Whether this process has made any change.
  let hasChanged = false;
  const write = <Result>(work: (transaction: Queries) => Promise<Result>) =>
    db.transaction().setIsolationLevel("read committed").setAccessMode("read write").execute(work);
  return {
    db,
    schema: SCHEMA_VIEW,
    leases: postgresLeases(db),
    // One statement sees one state of the database, and costs one round trip.
    read: (work) => work(db),
    writeOnce: (work) => work(db),
    readRows: async (query) => (await db.executeQuery(query)).rows,
    write,
    writeSyncedLater: write,
    async change(work, accountOf) {
      let change: { readonly id: number; readonly accountId: string } | undefined;
      try {
        return await write(async (transaction) => {
          const result = await work(transaction);
          const accountId = accountOf(result);
          change = accountId === undefined ? undefined : { id: await addPendingChange(transaction, accountId), accountId };
          return result;
        });
      } finally {
        // Announced after an error too, because the transaction may have been committed, or may still be.
        if (change !== undefined) {
          onChange(change.accountId);
          hasChanged = true;
          announcer.add(change.id);
        }
      }
    },
    acknowledged: () => (hasChanged ? acknowledgements.wait(announcer.announced()) : Promise.resolve(ACKNOWLEDGED)),
    nodes: () => registeredNodes(db, self),
    failureKindOf,
    listen: async () => changeListener?.open(),
    async close() {
      await announcer.close();
      await changeListener?.close();
      await db.destroy();
    },
  };
}

// An id that distinguishes this process's announcements from those of other processes.
async function announcerId(db: Queries): Promise<string> {
  const { rows } = await sql<{ id: string }>`select gen_random_uuid()::text as id`.execute(db);
  return rows[0]?.id ?? "";
}

/** How a migration inspects a database that servers share. */
const SCHEMA_VIEW: SchemaView = {
  async lock(transaction) {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction);
  },
  async tableNames(transaction) {
    const { rows } = await sql<{ name: string }>`
      select tablename as name from pg_tables where schemaname = current_schema() order by tablename
    `.execute(transaction);
    return rows.map(({ name }) => name);
  },
  incompatiblePeers,
  name: "The database",
  foreignTablesAdvice: "Point QUINTET_DATABASE_URL to a database of Quintet's own.",
};
