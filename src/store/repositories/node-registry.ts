// The table of the servers that share a database. Each server renews its row again and again; one that no longer does is gone, or has stopped
// serving by itself. All times are the database's, so the nodes' clocks may differ.
import { sql } from "kysely";
import type pg from "pg";
import type { Queries } from "../schema.ts";

/** What a node learns from its heartbeat. */
export interface Beat {
  /** The number of the last change in the database. */
  readonly changeNumber: number;
  /** How many nodes may be serving, this one among them. */
  readonly aliveNodes: number;
}

// A node that crashed leaves its row behind.
const FORGET_AFTER_MS = 3_600_000;

const NOW_MS = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

const BEAT = `
  with beat as (
    insert into nodes (id, change_number, expires_at_ms) values ($1, $2, ${NOW_MS} + $3)
    on conflict (id) do update set change_number = excluded.change_number, expires_at_ms = excluded.expires_at_ms
  )
  select
    (select number from change_counter) as change_number,
    1 + (select count(*) from nodes where id <> $1 and expires_at_ms > ${NOW_MS})::int as alive_nodes
`;

type Connection = Pick<pg.Client, "query">;

/** The heartbeat: this node is alive for `aliveMs` more, and has applied the changes up to a number. */
export async function beat(
  client: Connection,
  node: { readonly id: string; readonly changeNumber: number; readonly aliveMs: number },
): Promise<Beat> {
  const { rows } = await client.query<{ change_number: number; alive_nodes: number }>(BEAT, [
    node.id,
    node.changeNumber,
    node.aliveMs,
  ]);
  const row = rows[0] as (typeof rows)[number];
  return { changeNumber: row.change_number, aliveNodes: row.alive_nodes };
}

/** A node that may be serving, and the last change that it has applied. */
export interface NodeProgress {
  readonly id: string;
  readonly changeNumber: number;
}

/** The other nodes that may be serving and have not applied all changes up to a number. */
export async function nodesBehind(db: Queries, number: number, except: string): Promise<readonly NodeProgress[]> {
  const { rows } = await sql<{ id: string; change_number: number }>`
    select id, change_number from nodes
    where id <> ${except} and change_number < ${number} and expires_at_ms > ${sql.raw(NOW_MS)} order by id
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
  /** The id of the process that asks; undefined where none has one. */
  readonly self: string | undefined;
  /** The number of the last change in the database. */
  readonly changeNumber: number;
  /** In the order of their ids; those that ended within the last hour or so too. */
  readonly nodes: readonly RegisteredNode[];
}

/** What the table says now. */
export async function registeredNodes(db: Queries, self: string): Promise<NodeRegistry> {
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
