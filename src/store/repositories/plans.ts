// The versions of plans. A version never changes. It is offered, or retired: honoured for its subscribers and nobody else. Without
// subscribers, a retired one counts as removed; its row stays for the subscriptions that have ended. Each function runs in the given
// transaction.
import { type Selectable, sql } from "kysely";
import { entitlementsFrom, ownEntitlements } from "../../catalogue/entitlements.ts";
import { type Plan, planId } from "../../catalogue/plan.ts";
import { isServiceName, SERVICE_NAMES, type ServiceName } from "../../catalogue/service-names.ts";
import type { PlanChange, PlanVersion } from "../records.ts";
import type { Queries, Tables } from "../schema.ts";
import { read, type Transactions } from "../transactions.ts";
import { isPostgres } from "./dialect.ts";

/** Announced in place of an account's id when the plans on offer have changed. */
export const PLANS_CHANGED = "plans";

type PlanRow = Selectable<Tables["plans"]>;

/** The columns that `toPlan` reads. */
export const PLAN_COLUMNS = [
  "id",
  "service",
  "name",
  "price_minor",
  "currency",
  "calls_per_month",
  "requests_per_second",
  "entitlements",
] as const;

/** Converts a row to a plan. What another version of Quintet wrote may lack entitlements, or have unknown ones. */
export const toPlan = (row: Pick<PlanRow, (typeof PLAN_COLUMNS)[number]>): Plan => ({
  id: row.id,
  service: row.service as ServiceName,
  name: row.name,
  priceMinor: row.price_minor,
  currency: row.currency,
  callsPerMonth: row.calls_per_month,
  requestsPerSecond: row.requests_per_second,
  entitlements: entitlementsFrom(row.service as ServiceName, JSON.parse(row.entitlements)),
});

const planRows = (db: Queries) => db.selectFrom("plans").selectAll();

/** The plans on offer: services in their usual order, the plans of each in the file's order. Services of other versions are left out. */
async function offeredPlans(db: Queries): Promise<readonly Plan[]> {
  const rows = await planRows(db).where("position", "is not", null).orderBy("position").execute();
  return SERVICE_NAMES.flatMap((service) => rows.filter((row) => row.service === service).map(toPlan));
}

/** A service's plans on offer, and these versions. */
export const offeredAnd = (db: Queries, service: string, ids: readonly (string | null)[]): Promise<readonly PlanRow[]> =>
  planRows(db)
    .where((row) =>
      row.or([
        row.and([row("service", "=", service), row("position", "is not", null)]),
        row("id", "in", ["", ...ids.filter((id) => id !== null)]),
      ]),
    )
    .execute();

/** All versions that are offered or have subscribers, and how many. */
export async function planVersions(db: Queries): Promise<readonly PlanVersion[]> {
  const rows = await planRows(db)
    .select((row) => [
      row
        .selectFrom("subscriptions")
        .select((count) => count.cast<number>(count.fn.countAll(), "bigint").as("subscribers"))
        .whereRef("subscriptions.plan_id", "=", "plans.id")
        .where("subscriptions.state", "<>", "cancelled")
        .as("subscribers"),
      row
        .selectFrom("subscriptions")
        .select((count) => count.cast<number>(count.fn.countAll(), "bigint").as("moving"))
        .whereRef("subscriptions.plan_id", "=", "plans.id")
        .where("subscriptions.moves_at_ms", "is not", null)
        .as("moving"),
    ])
    .orderBy(sql`case when position is null then 1 else 0 end`)
    .orderBy("position")
    .orderBy("name")
    .orderBy("version", "desc")
    .execute();
  return rows
    .filter(({ service }) => isServiceName(service))
    .map((row) => ({
      ...toPlan(row),
      isOffered: row.position !== null,
      subscribers: row.subscribers ?? 0,
      moving: row.moving ?? 0,
      createdAtMs: row.created_at_ms,
    }))
    .filter(({ isOffered, subscribers }) => isOffered || subscribers > 0)
    .toSorted((a, b) => SERVICE_NAMES.indexOf(a.service) - SERVICE_NAMES.indexOf(b.service));
}

const TERMS = ["priceMinor", "currency", "callsPerMonth", "requestsPerSecond"] as const;

/** Whether two plans of a service have the same price and allow the same. */
const hasSameTerms = (a: Plan, b: Plan): boolean =>
  TERMS.every((name) => a[name] === b[name]) && entitlementsJson(a) === entitlementsJson(b);

const entitlementsJson = ({ service, entitlements }: Plan): string => JSON.stringify(ownEntitlements(service, entitlements));

/** What applying these plans would change, service by service. A plan that returns to earlier terms returns to their version. */
export function planChanges(versions: readonly PlanVersion[], plans: readonly Plan[]): readonly PlanChange[] {
  const changes = plans.map((plan): PlanChange => {
    const before = versions.find((each) => each.isOffered && each.service === plan.service && each.name === plan.name);
    if (before === undefined) {
      return { kind: "offered", plan, before };
    }
    return { kind: hasSameTerms(before, plan) ? "unchanged" : "changed", plan, before };
  });
  const left = versions.filter(
    (each) => each.isOffered && !plans.some(({ service, name }) => service === each.service && name === each.name),
  );
  return [
    ...changes,
    ...left.map((before): PlanChange => ({ kind: before.subscribers > 0 ? "retired" : "removed", plan: before, before })),
  ];
}

// Offers exactly these plans. Returns what changed; undefined if there are plans already and `onlyIfNone`.
async function applyPlans(
  db: Queries,
  plans: readonly Plan[],
  { onlyIfNone }: { readonly onlyIfNone: boolean },
  nowMs: number,
): Promise<readonly PlanChange[] | undefined> {
  if (isPostgres(db)) {
    // Two processes must not number versions at the same time. Readers are not kept out.
    await sql`lock table plans in share row exclusive mode`.execute(db);
  }
  const all = await planRows(db).execute();
  if (onlyIfNone && all.length > 0) {
    return undefined;
  }
  const changes = planChanges(await planVersions(db), plans);
  await db.updateTable("plans").set({ position: null }).where("position", "is not", null).execute();
  const added: ReturnType<typeof rowOf>[] = [];
  for (const [position, plan] of plans.entries()) {
    const versions = all.filter(({ service, name }) => service === plan.service && name === plan.name);
    // Several may be the same for this version of Quintet, if they differ in an entitlement that it does not know.
    const [same] = versions
      .filter((row) => hasSameTerms(toPlan(row), plan))
      .toSorted((a, b) => Number(b.position !== null) - Number(a.position !== null) || b.version - a.version);
    if (same === undefined) {
      const version = 1 + Math.max(0, ...versions.map((row) => row.version));
      added.push(rowOf(plan, version, position, nowMs));
    } else {
      await db.updateTable("plans").set({ position }).where("id", "=", same.id).execute();
    }
  }
  if (added.length > 0) {
    await db.insertInto("plans").values(added).execute();
  }
  return changes;
}

const rowOf = (plan: Plan, version: number, position: number, nowMs: number) => ({
  id: planId(plan, version),
  service: plan.service,
  name: plan.name,
  version,
  price_minor: plan.priceMinor,
  currency: plan.currency,
  billing_interval: "month" as const,
  calls_per_month: plan.callsPerMonth,
  requests_per_second: plan.requestsPerSecond,
  entitlements: entitlementsJson(plan),
  position,
  created_at_ms: nowMs,
});

/** The store's methods for plans. */
export const planMethods = {
  offeredPlans: read(offeredPlans),
  planVersions: read(planVersions),
  /**
   * Offers exactly these plans from now on, in one transaction that every server is told of. A plan whose terms have changed becomes a new
   * version. Subscriptions keep theirs. With `onlyIfNone`, nothing happens if there are plans already, and it resolves to undefined.
   */
  applyPlans:
    (transactions: Transactions) =>
    (plans: readonly Plan[], options: { readonly onlyIfNone: boolean } = { onlyIfNone: false }) =>
      transactions.changeUnaudited(
        async (db) => {
          const changes = await applyPlans(db, plans, options, transactions.nowMs);
          const made = changes?.filter(({ kind }) => kind !== "unchanged") ?? [];
          // The plans that a new database begins with are nobody's change.
          if (made.length > 0 && !options.onlyIfNone) {
            const details = Object.fromEntries(made.map(({ kind, plan }) => [`${plan.service}/${plan.name}`, kind]));
            await transactions.record(db, { action: "plans.apply", accountId: null, details });
          }
          return changes;
        },
        (changes) => (changes === undefined ? undefined : PLANS_CHANGED),
      ),
};
