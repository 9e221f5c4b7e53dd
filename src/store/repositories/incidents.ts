// Incidents that operators describe, and their updates. Each function runs in the given transaction. A function that changes an incident
// locks its row first, so that the changes of two operators are made one after the other.
import type { Selectable } from "kysely";
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { AuditAction, AuditNote } from "../audit-records.ts";
import {
  INCIDENT_UPDATES_MAX,
  INCIDENTS_KEPT_DAYS,
  INCIDENTS_MAX,
  type Incident,
  type IncidentChanges,
  incidentStateAt,
  type NewIncident,
  type NewIncidentUpdate,
} from "../incident-records.ts";
import type { Queries, Tables } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import { read, readAt, type Transactions } from "../transactions.ts";
import type { DatedTable } from "./expired-counts.ts";

const DAY_MS = 86_400_000;

type Row = Selectable<Tables["incidents"]>;

/** Open incidents have no `ends_at_ms`, so they never expire. */
export const INCIDENTS: DatedTable = { table: "incidents", key: ["id"], time: "ends_at_ms" };

/** An incident that ended before this time is no longer shown, and is deleted at the next opportunity. */
export const firstIncidentKept = (nowMs: number): number => nowMs - INCIDENTS_KEPT_DAYS * DAY_MS;

/** Incidents that are open or scheduled, and those that ended in the last 90 days: the latest first. There are never more than 200. */
async function incidents(db: Queries, nowMs: number): Promise<readonly Incident[]> {
  const rows = await db
    .selectFrom("incidents")
    .selectAll()
    .where((where) => where.or([where("ends_at_ms", "is", null), where("ends_at_ms", ">=", firstIncidentKept(nowMs))]))
    .orderBy("begins_at_ms", "desc")
    .orderBy("id")
    .execute();
  return withUpdates(db, rows);
}

async function findIncident(db: Queries, id: string): Promise<Incident | undefined> {
  const rows = await db.selectFrom("incidents").selectAll().where("id", "=", id).execute();
  return (await withUpdates(db, rows))[0];
}

async function withUpdates(db: Queries, rows: readonly Row[]): Promise<readonly Incident[]> {
  if (rows.length === 0) {
    // PostgreSQL does not allow `in ()`.
    return [];
  }
  const updates = await db
    .selectFrom("incident_updates")
    .selectAll()
    .where(
      "incident_id",
      "in",
      rows.map(({ id }) => id),
    )
    .orderBy("number", "desc")
    .execute();
  const updatesByIncident = Map.groupBy(updates, ({ incident_id }) => incident_id);
  return rows.map((row) => ({
    ...{ id: row.id, title: row.title, impact: row.impact, services: JSON.parse(row.services) as readonly ServiceName[] },
    ...{ beginsAtMs: row.begins_at_ms, endsAtMs: row.ends_at_ms, createdAtMs: row.created_at_ms },
    updates: (updatesByIncident.get(row.id) ?? []).map(({ number, at_ms: atMs, state, text }) => ({ number, atMs, state, text })),
  }));
}

/** Creates an incident. StoreConflict if there are too many. */
async function createIncident(db: Queries, incident: NewIncident, nowMs: number): Promise<Incident> {
  const { id, title, impact, services, beginsAtMs, endsAtMs, update } = incident;
  const { count } = await db
    .selectFrom("incidents")
    .select((select) => select.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (Number(count) >= INCIDENTS_MAX) {
    throw new StoreConflict(`There are ${INCIDENTS_MAX} incidents, which is the maximum. Delete one first.`);
  }
  await db
    .insertInto("incidents")
    .values({
      ...{ id, title, impact, services: JSON.stringify(services) },
      ...{ begins_at_ms: beginsAtMs, ends_at_ms: endsAtMs, created_at_ms: nowMs },
    })
    .execute();
  await db
    .insertInto("incident_updates")
    .values({ incident_id: id, number: 1, at_ms: nowMs, ...update })
    .execute();
  return (await findIncident(db, id)) as Incident;
}

/**
 * Adds an update, now. `resolved` and `completed` end the incident, `in_progress` begins maintenance, and every other state reopens an
 * incident. StoreConflict if there is no such incident, or it has too many updates.
 */
async function addIncidentUpdate(db: Queries, id: string, update: NewIncidentUpdate, nowMs: number): Promise<Incident> {
  const row = await lockIncident(db, id);
  const hasEnded = row.ends_at_ms !== null && row.ends_at_ms <= nowMs;
  switch (update.state) {
    case "resolved":
    case "completed":
      if (!hasEnded) {
        // Maintenance may be called off before it begins.
        await change(db, id, { ends_at_ms: nowMs, begins_at_ms: Math.min(row.begins_at_ms, nowMs) });
      }
      break;
    case "investigating":
    case "identified":
    case "monitoring":
      await change(db, id, { ends_at_ms: null });
      break;
    case "in_progress":
      await change(db, id, { begins_at_ms: Math.min(row.begins_at_ms, nowMs) });
      break;
    case "scheduled":
      break;
  }
  const { last } = await db
    .selectFrom("incident_updates")
    .select((select) => select.fn.max("number").as("last"))
    .where("incident_id", "=", id)
    .executeTakeFirstOrThrow();
  if (last >= INCIDENT_UPDATES_MAX) {
    throw new StoreConflict(`The incident has ${INCIDENT_UPDATES_MAX} updates, which is the maximum. Create another incident.`);
  }
  await db
    .insertInto("incident_updates")
    .values({ incident_id: id, number: last + 1, at_ms: nowMs, ...update })
    .execute();
  return (await findIncident(db, id)) as Incident;
}

/** Changes the text of an update. StoreConflict if there is no such incident, or it has no such update. */
async function editIncidentUpdate(db: Queries, id: string, number: number, text: string): Promise<Incident> {
  await lockIncident(db, id);
  const edited = await db
    .updateTable("incident_updates")
    .set({ text })
    .where("incident_id", "=", id)
    .where("number", "=", number)
    .returning("number")
    .executeTakeFirst();
  if (edited === undefined) {
    throw new StoreConflict(`The incident ${id} has no update ${number}.`);
  }
  return (await findIncident(db, id)) as Incident;
}

/** Changes the given fields of an incident. StoreConflict if there is no such incident. */
async function updateIncident(
  db: Queries,
  id: string,
  { title, impact, services, beginsAtMs, endsAtMs }: IncidentChanges,
): Promise<Incident> {
  await lockIncident(db, id);
  await change(db, id, {
    id,
    ...(title !== undefined && { title }),
    ...(impact !== undefined && { impact }),
    ...(services !== undefined && { services: JSON.stringify(services) }),
    ...(beginsAtMs !== undefined && { begins_at_ms: beginsAtMs }),
    ...(endsAtMs !== undefined && { ends_at_ms: endsAtMs }),
  });
  return (await findIncident(db, id)) as Incident;
}

/** Deletes an incident with its updates. StoreConflict if there is no such incident. */
async function deleteIncident(db: Queries, id: string): Promise<Incident> {
  await lockIncident(db, id);
  const incident = (await findIncident(db, id)) as Incident;
  await db.deleteFrom("incident_updates").where("incident_id", "=", id).execute();
  await db.deleteFrom("incidents").where("id", "=", id).execute();
  return incident;
}

// Changes nothing, but waits for other transactions that are changing the incident.
async function lockIncident(db: Queries, id: string): Promise<Row> {
  const row = await db.updateTable("incidents").set({ id }).where("id", "=", id).returningAll().executeTakeFirst();
  if (row === undefined) {
    throw new StoreConflict(`There is no incident with the ID ${id}.`);
  }
  return row;
}

async function change(db: Queries, id: string, values: Partial<Row>): Promise<void> {
  await db.updateTable("incidents").set(values).where("id", "=", id).execute();
}

const noteOf =
  (action: AuditAction, nowMs: number) =>
  (incident: Incident): AuditNote => ({
    ...{ action, accountId: null, subject: incident.id },
    details: {
      ...{ title: incident.title, impact: incident.impact, state: incidentStateAt(incident, nowMs) },
      services: incident.services.length === 0 ? null : incident.services,
    },
  });

/** A change to an incident, which is recorded. */
const recorded =
  <Args extends unknown[]>(action: AuditAction, query: (db: Queries, ...args: [...Args, nowMs: number]) => Promise<Incident>) =>
  (transactions: Transactions) =>
  (...args: Args): Promise<Incident> =>
    transactions.writeAudited((db) => query(db, ...args, transactions.nowMs), noteOf(action, transactions.nowMs));

/** The store's methods for incidents: operators write them, and anybody may read them. */
export const incidentMethods = {
  incidents: readAt(incidents),
  findIncident: read(findIncident),
  createIncident: recorded("incident.create", createIncident),
  addIncidentUpdate: recorded("incident.add_update", addIncidentUpdate),
  editIncidentUpdate: recorded<[id: string, number: number, text: string]>("incident.edit_update", editIncidentUpdate),
  updateIncident: recorded<[id: string, changes: IncidentChanges]>("incident.update", updateIncident),
  deleteIncident: recorded<[id: string]>("incident.delete", deleteIncident),
};
