// The table of the servers that share a database. Each server keeps renewing its row; one that stops doing so is gone, or has stopped
// serving by itself. All times are from the database's clock, so the nodes' clocks may differ.
import { sql } from "kysely";
import type pg from "pg";
import type { Queries } from "../schema.ts";
import type { ChangePosition } from "./change-log.ts";
import { PROTOCOL } from "./change-protocol.ts";

/** What a node learns from its heartbeat. */
export interface Beat {
  /** The last change in the database. */
  readonly lastChange: ChangePosition;
  /** How many nodes may be serving, including this one. */
  readonly aliveNodes: number;
}

// A node that crashed leaves its row behind.
const FORGET_AFTER_MS = 3_600_000;

const NOW_MS = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

// What the node has applied counts only if this database knows the change: after a failover that lost changes, other changes have their
// numbers.
const BEAT = `
  with last as (select number, change_id from change_counter),
  known as (
    select number from last where number = $2 and change_id = $3
    union all select number from changes where number = $2 and change_id = $3
  ),
  beat as (
    insert into nodes (id, change_number, expires_at_ms, protocol)
    values ($1, coalesce((select max(number) from known), 0), ${NOW_MS} + $4, ${PROTOCOL})
    on conflict (id) do update set change_number = excluded.change_number, expires_at_ms = excluded.expires_at_ms,
      protocol = excluded.protocol
  )
  select number, change_id, 1 + (select count(*) from nodes where id <> $1 and expires_at_ms > ${NOW_MS})::int as alive_nodes
  from last
`;

type Connection = Pick<pg.Client, "query">;

/** The heartbeat: this node is alive for `aliveMs` more, and has applied the changes up to `applied`; undefined if it does not know yet. */
export async function beat(
  client: Connection,
  { id, applied, aliveMs }: { readonly id: string; readonly applied: ChangePosition | undefined; readonly aliveMs: number },
): Promise<Beat> {
  const { rows } = await client.query<{ number: number; change_id: string; alive_nodes: number }>(BEAT, [
    id,
    applied?.number ?? 0,
    applied?.id ?? "",
    aliveMs,
  ]);
  const row = rows[0] as (typeof rows)[number];
  return { lastChange: { number: row.number, id: row.change_id }, aliveNodes: row.alive_nodes };
}

/** A node that may be serving, and the last change that it has applied. */
export interface NodeProgress {
  readonly id: string;
  readonly changeNumber: number;
}

/** The nodes, except the one that asks, that may be serving and have not applied all changes up to a number. */
export async function nodesBehind(db: Queries, number: number, except: string | undefined): Promise<readonly NodeProgress[]> {
  const { rows } = await sql<{ id: string; change_number: number }>`
    select id, change_number from nodes
    where id <> ${except ?? ""} and change_number < ${number} and expires_at_ms > ${sql.raw(NOW_MS)} order by id
  `.execute(db);
  return rows.map((row) => ({ id: row.id, changeNumber: row.change_number }));
}

/** A server that shares the database. */
interface RegisteredNode extends NodeProgress {
  /** Whether it may be serving. One that died counts until it would have stopped by itself. */
  readonly isAlive: boolean;
}

/** All servers that share the database. */
export interface NodeRegistry {
  /** The id of the process that asks; undefined if it has none. */
  readonly self: string | undefined;
  /** The number of the last change in the database. */
  readonly changeNumber: number;
  /** In the order of their ids, including those that ended within the last hour or so. */
  readonly nodes: readonly RegisteredNode[];
}

/** The current content of the table. */
export async function registeredNodes(db: Queries, self: string | undefined): Promise<NodeRegistry> {
  const { rows } = await sql<{ number: number; id: string | null; change_number: number; alive: boolean }>`
    select change_counter.number, nodes.id, nodes.change_number, nodes.expires_at_ms > ${sql.raw(NOW_MS)} as alive
    from change_counter left join nodes on true order by nodes.id
  `.execute(db);
  return {
    self,
    changeNumber: rows[0]?.number ?? 0,
    nodes: rows.flatMap(({ id, change_number: changeNumber, alive: isAlive }) =>
      id === null ? [] : [{ id, changeNumber, isAlive }],
    ),
  };
}

/** Deletes the nodes that ended long ago. */
export async function forgetGoneNodes(client: Connection): Promise<void> {
  await client.query(`delete from nodes where expires_at_ms < ${NOW_MS} - ${FORGET_AFTER_MS}`);
}

/** This node has stopped serving. */
export async function leaveNodes(client: Connection, id: string): Promise<void> {
  await client.query("delete from nodes where id = $1", [id]);
}
