// The protocol with which servers and commands on one PostgreSQL database notify each other of changes. All processes that share a database
// must use the same version: a server of another version would miss a revocation that was confirmed.
import { type RawBuilder, sql } from "kysely";
import type { Queries } from "../schema.ts";

/**
 * Incremented with each change to the tables `nodes`, `changes`, `pending_changes` and `change_counter`, or to the notices. Also
 * incremented when there is a new way to refuse calls: a server that does not know it would confirm a change of that kind and still admit
 * the calls. Versions before 2 announced no number.
 */
export const PROTOCOL = 5;

const PROGRAM = "quintet";

/** The name under which PostgreSQL lists our connections. */
export const APPLICATION_NAME = `${PROGRAM}/${PROTOCOL}`;

/**
 * The processes that are connected to the database or may be serving, and use another protocol version: the addresses of their connections,
 * and the ids of servers. The ids come from a table that has protocol versions only if `isMigrated`.
 */
export async function incompatiblePeers(db: Queries, isMigrated: boolean): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`${peersQuery(isMigrated)} order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * The applied migrations' names in order, and the processes that use another protocol version, in one round trip. Only for migrated
 * databases.
 */
export async function migrationsAndPeers(
  db: Queries,
): Promise<{ readonly migrations: readonly string[]; readonly peers: readonly string[] }> {
  const { rows } = await sql<{ migrations: readonly string[] | null; peers: readonly string[] | null }>`
    select (select json_agg(name order by name) from quintet_migrations) as migrations,
      (select json_agg(name order by name) from (${peersQuery(true)}) as peer) as peers
  `.execute(db);
  return { migrations: rows[0]?.migrations ?? [], peers: rows[0]?.peers ?? [] };
}

function peersQuery(isMigrated: boolean): RawBuilder<unknown> {
  const serving = isMigrated
    ? sql`union select id from nodes where protocol <> ${PROTOCOL} and expires_at_ms > extract(epoch from clock_timestamp()) * 1000`
    : sql``;
  return sql`
    select coalesce(host(client_addr), 'a local socket') as name from pg_stat_activity
    where datname = current_database() and application_name <> ${APPLICATION_NAME}
      and (application_name = ${PROGRAM} or application_name like ${`${PROGRAM}/%`})
    ${serving}`;
}
