// The table of the servers that share a database. Each server keeps renewing its row; a server that stops renewing it is gone, or has
// stopped serving on its own. The servers that may be serving are counted when one starts or stops, and about once a second by one server
// on behalf of all. All times are from the database's clock, so the nodes' clocks may differ.
import { sql } from "kysely";
import type { Queries } from "../schema.ts";
import { type ChangePosition, NOW_MS, PROTOCOL, type RunStatement } from "./change-log.ts";

/** What a node learns from its heartbeat. */
export interface HeartbeatResult {
  /** Whether the table has this node. If not, it must register again. Always true for a heartbeat without a report. */
  readonly isRegistered: boolean;
  /** The last batch of changes in the database. */
  readonly lastChange: ChangePosition;
  /** How many nodes may be serving, including this one, when they were last counted. */
  readonly aliveNodes: number;
  /** Whether the nodes should be counted again. */
  readonly isCountDue: boolean;
}

// A node that crashed leaves its row behind.
const FORGET_AFTER_MS = 3_600_000;
const COUNT_EVERY_MS = 1000;

// The batch that the node has applied counts only if this database knows it: after a failover that lost batches, other batches reuse their
// numbers.
const HEARTBEAT = `
  with heartbeat as (
    update nodes set expires_at_ms = ${NOW_MS} + $4,
      change_number = case
        when exists (select from changes where number = $2 and change_id = $3)
          or exists (select from change_counter where number = $2 and change_id = $3) then $2
        else 0
      end
    where id = $1
    returning id
  )
  select number, change_id, alive_nodes, counted_at_ms < ${NOW_MS} - ${COUNT_EVERY_MS} as is_count_due,
    exists (select from heartbeat) as is_registered
  from change_counter
`;

const READ_POSITION = `
  select number, change_id, alive_nodes, counted_at_ms < ${NOW_MS} - ${COUNT_EVERY_MS} as is_count_due, true as is_registered
  from change_counter
`;

/** What a heartbeat reports to the other nodes: this node is alive for another `aliveMs`, and has applied the changes up to `applied`. */
export interface HeartbeatReport {
  readonly id: string;
  /** Undefined if the node does not know it yet. */
  readonly applied: ChangePosition | undefined;
  readonly aliveMs: number;
}

/** Sends a heartbeat. Without a report it only reads, which costs a third as much. */
export async function sendHeartbeat(run: RunStatement, report: HeartbeatReport | undefined): Promise<HeartbeatResult> {
  const [row] = await run<{
    number: number;
    change_id: string;
    alive_nodes: number;
    is_count_due: boolean;
    is_registered: boolean;
  }>(
    report === undefined
      ? { name: "read", text: READ_POSITION, values: [] }
      : {
          name: "heartbeat",
          text: HEARTBEAT,
          values: [report.id, report.applied?.number ?? 0, report.applied?.id ?? "", report.aliveMs],
        },
  );
  const { number, change_id, alive_nodes, is_count_due, is_registered } = row as NonNullable<typeof row>;
  return {
    isRegistered: is_registered,
    lastChange: { number, id: change_id },
    aliveNodes: alive_nodes,
    isCountDue: is_count_due,
  };
}

/** Adds a node that may be serving from now on, and has applied no change yet. Deletes the nodes that ended long ago. */
export async function registerNode(run: RunStatement, id: string, aliveMs: number): Promise<void> {
  await run({
    name: "register",
    text: `
      with gone as (delete from nodes where expires_at_ms < ${NOW_MS} - ${FORGET_AFTER_MS} and id <> $1)
      insert into nodes (id, change_number, expires_at_ms, protocol) values ($1, 0, ${NOW_MS} + $2, ${PROTOCOL})
      on conflict (id) do update set change_number = 0, expires_at_ms = excluded.expires_at_ms, protocol = excluded.protocol
    `,
    values: [id, aliveMs],
  });
}

/** Runs statements without parameters in one transaction. */
interface ScriptRunner {
  runScript(text: string): Promise<void>;
}

const COUNT = `alive_nodes = (select count(*) from nodes where expires_at_ms > ${NOW_MS}), counted_at_ms = ${NOW_MS}`;

// The lock comes first, in a separate statement: so each count sees every node that was registered when the lock was taken, and never
// misses one that an earlier count included.
const COUNT_NOW = `select from change_counter for update; update change_counter set ${COUNT}`;

// Does not wait for the lock: the process that holds it is counting, or is announcing changes, and the next heartbeat comes soon.
const COUNT_IF_DUE = `
  with due as materialized (
    select from change_counter where counted_at_ms < ${NOW_MS} - ${COUNT_EVERY_MS} for update skip locked
  )
  update change_counter set ${COUNT} where exists (select from due) returning alive_nodes
`;

/** Counts the nodes that may be serving, on behalf of all nodes, because a node has started or stopped. */
export async function countNodes(connection: ScriptRunner): Promise<void> {
  await connection.runScript(COUNT_NOW);
}

/** Counts the nodes, unless another node has just counted them or is doing so. Returns whether this node counted them. */
export async function countNodesIfDue(run: RunStatement): Promise<boolean> {
  return (await run({ name: "count", text: COUNT_IF_DUE, values: [] })).length > 0;
}

/** Removes this node, which has stopped serving. */
export async function leaveNodes(connection: ScriptRunner & { readonly run: RunStatement }, id: string): Promise<void> {
  await connection.run({ name: "leave", text: "delete from nodes where id = $1", values: [id] });
  await countNodes(connection);
}

/** A node that may be serving, and the last batch of changes that it has applied. */
export interface NodeProgress {
  readonly id: string;
  readonly changeNumber: number;
}

/** The last batch that has been applied by all nodes that may be serving, except the calling one; undefined if there are no others. */
export async function appliedByAll(run: RunStatement, except: string | undefined): Promise<number | undefined> {
  const [row] = await run<{ number: number | null }>({
    name: "applied-by-all",
    text: `select min(change_number) as number from nodes where id <> $1 and expires_at_ms > ${NOW_MS}`,
    values: [except ?? ""],
  });
  return row?.number ?? undefined;
}

/** The nodes, except the calling one, that may be serving and have not applied all changes up to a number. */
export async function nodesBehind(db: Queries, number: number, except: string | undefined): Promise<readonly NodeProgress[]> {
  const { rows } = await sql<{ id: string; change_number: number }>`
    select id, change_number from nodes
    where id <> ${except ?? ""} and change_number < ${number} and expires_at_ms > ${sql.raw(NOW_MS)} order by id
  `.execute(db);
  return rows.map((row) => ({ id: row.id, changeNumber: row.change_number }));
}

/** A server that shares the database. */
interface RegisteredNode extends NodeProgress {
  /** Whether it may be serving. A server that died counts until the time at which it would have stopped on its own. */
  readonly isAlive: boolean;
}

/** All servers that share the database. */
export interface NodeRegistry {
  /** The id of the calling process; undefined if it has none. */
  readonly self: string | undefined;
  /** The number of the last batch of changes in the database. */
  readonly changeNumber: number;
  /** In the order of their ids, including servers that ended within the last hour or so. */
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
