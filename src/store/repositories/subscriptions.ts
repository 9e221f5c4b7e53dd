// Subscriptions, one by one and in lists. Each function runs in the given transaction.
import { type Expression, type ExpressionBuilder, type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import { isFree, type Plan } from "../../catalogue/plan.ts";
import { SERVICE_NAMES, type ServiceName } from "../../catalogue/service-names.ts";
import type { Month } from "../../runtime/calendar.ts";
import { isoTime } from "../../runtime/iso-time.ts";
import { subscriptionNote } from "../audit-records.ts";
import type { PlanRequest, Subscription, SubscriptionPage, SubscriptionQuery } from "../records.ts";
import type { Queries, Tables } from "../schema.ts";
import { FreePlanTaken, StoreConflict } from "../store-errors.ts";
import { changing, changingAt, read, readAt, type Transactions, write, writeAt } from "../transactions.ts";
import { ACCOUNT_COLUMNS, accountOf } from "./account-rows.ts";
import { lockAccount, tryLockAccount } from "./accounts.ts";
import { isPostgres } from "./dialect.ts";
import { isOfSubscription, leasedCapCalls, raiseCaps } from "./key-caps.ts";
import { creditCalls, leasedCalls } from "./leases.ts";
import { takeFreeMonth } from "./mailboxes.ts";
import { changePeriod, endPeriods } from "./paid-periods.ts";
import { notePlan, notePlans, noteRequest } from "./plan-alerts.ts";
import { offeredAnd, PLAN_COLUMNS, planVersions, toPlan } from "./plans.ts";
import { addQuotaRaise, chargeActivated, chargeRaise } from "./quota-raises.ts";

// The plan in a column: PostgreSQL's driver parses JSON.
type PlanJson = string | Parameters<typeof toPlan>[0];

/** The plan in such a column. */
export const planOf = (json: PlanJson): Plan => toPlan(typeof json === "string" ? JSON.parse(json) : json);

type SubscriptionRow = Selectable<Tables["subscriptions"]> & {
  readonly plan: PlanJson;
  readonly requested_plan: PlanJson | null;
  readonly next_plan: PlanJson | null;
};

/** A column with the plan that a join has under this name; null if it has none. */
export const planColumn = (db: Queries, table: "plan" | "requested" | "next"): RawBuilder<PlanJson | null> => {
  const columns = PLAN_COLUMNS.map((name) => sql`${sql.lit(name)}, ${sql.ref(`${table}.${name}`)}`);
  const build = sql.raw(isPostgres(db) ? "json_build_object" : "json_object");
  return sql<PlanJson | null>`case when ${sql.ref(`${table}.id`)} is null then null else ${build}(${sql.join(columns)}) end`;
};

/** Converts a row to the record that the store returns. */
function toSubscription(row: SubscriptionRow): Subscription {
  const at = (plan: PlanJson | null, atMs: number | null): PlanRequest | null =>
    plan === null ? null : { terms: planOf(plan), atMs: atMs ?? 0 };
  return withNames({
    id: row.id,
    accountId: row.account_id,
    service: row.service as ServiceName,
    terms: planOf(row.plan),
    agreedAtMs: row.agreed_at_ms,
    request: at(row.requested_plan, row.requested_at_ms),
    move: at(row.next_plan, row.moves_at_ms),
    state: row.state,
    createdAtMs: row.created_at_ms,
  });
}

/** Subscriptions with their plans. */
const subscriptionRows = (db: Queries) =>
  db
    .selectFrom("subscriptions")
    .innerJoin("plans as plan", "plan.id", "subscriptions.plan_id")
    .leftJoin("plans as requested", "requested.id", "subscriptions.requested_plan_id")
    .leftJoin("plans as next", "next.id", "subscriptions.moves_to_plan_id")
    .selectAll("subscriptions")
    .select([
      planColumn(db, "plan").$castTo<PlanJson>().as("plan"),
      planColumn(db, "requested").as("requested_plan"),
      planColumn(db, "next").as("next_plan"),
    ]);

/** The subscriptions with these ids, in no particular order. */
export async function subscriptionsById(db: Queries, ids: readonly string[]): Promise<readonly Subscription[]> {
  return ids.length === 0 ? [] : (await subscriptionRows(db).where("subscriptions.id", "in", ids).execute()).map(toSubscription);
}

async function subscriptionById(db: Queries, id: string): Promise<Subscription> {
  return toSubscription(await subscriptionRows(db).where("subscriptions.id", "=", id).executeTakeFirstOrThrow());
}

// StoreConflict if the plan is not on offer.
function requireOffered(offered: readonly Plan[], service: ServiceName, name: string): Plan {
  const plan = offered.find((each) => each.name === name);
  if (plan === undefined) {
    throw new StoreConflict(`The plan ${name} of ${service} is not on offer.`);
  }
  return plan;
}

interface NewSubscription {
  readonly id: string;
  readonly accountId: string;
  readonly service: ServiceName;
  /** The name of a plan on offer. */
  readonly plan: string;
  readonly state: "active" | "requested";
  /** Another plan on offer, which the customer wants in its place. */
  readonly requestedPlan?: string;
}

/**
 * Inserts a subscription, and deletes the oldest cancelled ones if there are too many. StoreConflict if there is no such account, the plan
 * is not on offer, the account has a subscription to the service that is not cancelled, or another account of its mailbox has the free
 * plan; if a paid plan is requested too, that one is then the subscription's first.
 */
async function createSubscription(db: Queries, subscription: NewSubscription, nowMs: number): Promise<Subscription> {
  const { id, accountId, service, plan, state, requestedPlan } = subscription;
  await lockAccount(db, accountId);
  await deleteOldestCancelled(db, accountId);
  const offered = (await offeredAnd(db, service, [])).map(toPlan);
  const terms = requireOffered(offered, service, plan);
  if (state === "active" && isFree(terms) && !(await takeFreeMonth(db, accountId, service, nowMs))) {
    if (requestedPlan === undefined) {
      throw new FreePlanTaken(service);
    }
    return createSubscription(db, { id, accountId, service, plan: requestedPlan, state: "requested" }, nowMs);
  }
  const requested = requestedPlan === undefined ? undefined : requireOffered(offered, service, requestedPlan);
  const created = withNames({
    ...{ id, accountId, service, terms, state, agreedAtMs: nowMs, createdAtMs: nowMs, move: null },
    request: requested === undefined ? null : { terms: requested, atMs: nowMs },
  });
  const row = await db
    .insertInto("subscriptions")
    .values({ id, account_id: accountId, service, created_at_ms: nowMs, ...columnsOf(created) })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  if (row === undefined) {
    throw new StoreConflict(
      `The account already has a subscription to ${service}: request another plan on it, or cancel it first.`,
    );
  }
  if (state === "active") {
    await changePeriod(db, created, undefined, nowMs);
    await chargeActivated(db, created, terms, nowMs);
  }
  if (state === "requested" || requested !== undefined) {
    await noteRequest(db, created, requested ?? terms, nowMs);
  }
  return created;
}

/** An account's subscriptions by service and, within a service, oldest first, including the cancelled ones that are still kept. */
async function listSubscriptions(db: Queries, accountId: string): Promise<readonly Subscription[]> {
  const rows = await subscriptionRows(db)
    .where("subscriptions.account_id", "=", accountId)
    .orderBy(SUBSCRIPTION_ORDER)
    .orderBy("subscriptions.created_at_ms")
    .orderBy("subscriptions.id")
    .execute();
  return rows.map(toSubscription);
}

/** An account's subscriptions that are not cancelled, by service. */
async function listCurrentSubscriptions(db: Queries, accountId: string): Promise<readonly Subscription[]> {
  const rows = await subscriptionRows(db)
    .where("subscriptions.account_id", "=", accountId)
    .where("subscriptions.state", "<>", "cancelled")
    .orderBy(SUBSCRIPTION_ORDER)
    .execute();
  return rows.map(toSubscription);
}

/** Finds a subscription in any state. */
async function findSubscriptionById(db: Queries, id: string): Promise<Subscription | undefined> {
  return (await subscriptionsById(db, [id]))[0];
}

/** The account's current (not cancelled) subscription to a service. */
export async function findSubscription(db: Queries, accountId: string, service: ServiceName): Promise<Subscription | undefined> {
  return (await listCurrentSubscriptions(db, accountId)).find((each) => each.service === service);
}

/**
 * Records that the customer requests a plan on offer. While another is pending, requesting the active plan withdraws that request;
 * otherwise, if a newer version of the active plan is on offer, it is requested. If the subscription's first plan is still pending, this
 * one replaces it. StoreConflict if the plan is not on offer.
 */
async function requestPlan(db: Queries, id: string, plan: string, nowMs: number): Promise<Subscription> {
  const { offered, ...current } = await requireCurrent(db, id);
  const { state, service, terms, request } = current;
  const hasNewer = offered.some((each) => each.name === plan && each.id !== terms.id);
  if (state === "active" && terms.name === plan && (request !== null || !hasNewer)) {
    return update(db, current, { request: null });
  }
  const wanted = requireOffered(offered, service, plan);
  if (wanted.id === (state === "requested" ? terms.id : request?.terms.id)) {
    return current;
  }
  const changed = await update(
    db,
    current,
    state === "requested" ? { terms: wanted, agreedAtMs: nowMs } : { request: { terms: wanted, atMs: nowMs } },
  );
  await noteRequest(db, changed, wanted, nowMs);
  return changed;
}

const NO_MOVE = { moves_to_plan_id: null, moves_at_ms: null } as const;

/**
 * Activates a plan, and charges the subscription, by the plan's terms, for the calls of the month that the database has lost. The version
 * is the requested one if the customer has requested the plan, and else the one on offer. StoreConflict if the subscription is cancelled,
 * the plan is not on offer, or another account of its mailbox has the free plan.
 */
async function activate(db: Queries, id: string, plan: string, nowMs: number): Promise<Subscription> {
  // Before the subscription, as whoever deletes the account does.
  const owner = await db.selectFrom("subscriptions").select("account_id").where("id", "=", id).executeTakeFirst();
  await (owner && tryLockAccount(db, owner.account_id));
  const { offered, ...current } = await requireCurrent(db, id);
  const { accountId, state, service, terms, agreedAtMs, request, move } = current;
  const pending = state === "requested" ? { terms, atMs: agreedAtMs } : request;
  const isPending = pending?.terms.name === plan;
  // The version on offer is preferred to the present one.
  const active = requireOffered(isPending ? [pending.terms] : [...offered, terms], service, plan);
  const hasFree = state === "active" && isFree(terms);
  if (isFree(active) && !hasFree && !(await takeFreeMonth(db, accountId, service, nowMs))) {
    throw new FreePlanTaken(service);
  }
  const isSame = state === "active" && active.id === terms.id;
  const subscription = await update(db, current, {
    ...{ state: "active", terms: active, request: null, move: isSame ? move : null },
    agreedAtMs: isSame ? agreedAtMs : isPending ? pending.atMs : nowMs,
  });
  await changePeriod(db, subscription, state === "active" ? terms : undefined, nowMs);
  await chargeActivated(db, subscription, subscription.terms, nowMs);
  if (!(isSame || isFree(subscription.terms))) {
    await notePlan(db, "activated", subscription, { terms: subscription.terms, atMs: nowMs }, nowMs);
  }
  return subscription;
}

/**
 * Gives an account a version of a plan at once, whether or not it is on offer: in its subscription to the service, or in a new one with
 * the given id. The account must be locked.
 */
export async function giveTerms(db: Queries, accountId: string, terms: Plan, newId: string, nowMs: number): Promise<Subscription> {
  const current = await findSubscription(db, accountId, terms.service);
  if (current?.state === "active" && current.terms.id === terms.id) {
    return current;
  }
  if (current === undefined) {
    await deleteOldestCancelled(db, accountId);
    await db
      .insertInto("subscriptions")
      .values({
        ...{ id: newId, account_id: accountId, service: terms.service, plan_id: terms.id, agreed_at_ms: nowMs, state: "active" },
        ...{ requested_plan_id: null, requested_at_ms: null, ...NO_MOVE, created_at_ms: nowMs },
      })
      .execute();
  } else {
    await update(db, current, { state: "active", terms, agreedAtMs: nowMs, request: null, move: null });
  }
  const given = await subscriptionById(db, current?.id ?? newId);
  await changePeriod(db, given, current?.state === "active" ? current.terms : undefined, nowMs);
  await chargeActivated(db, given, terms, nowMs);
  return given;
}

/** Cancels a subscription permanently. StoreConflict if it is already cancelled. */
export async function cancel(db: Queries, id: string, nowMs: number): Promise<Subscription> {
  const row = await db
    .updateTable("subscriptions")
    .set({ state: "cancelled", requested_plan_id: null, requested_at_ms: null, ...NO_MOVE })
    .where("id", "=", id)
    .where("state", "<>", "cancelled")
    .returning("id")
    .executeTakeFirst();
  if (row === undefined) {
    // This throws a StoreConflict that says why the row was not updated.
    return requireCurrent(db, id);
  }
  const cancelled = await subscriptionById(db, id);
  if (!isFree(cancelled.terms)) {
    await endPeriods(db, [id], nowMs);
  }
  return cancelled;
}

/** Withdraws the request for the pending plan, and cancels a subscription that has no other plan. StoreConflict if no plan is pending. */
async function declinePlan(db: Queries, id: string): Promise<Subscription> {
  const { offered: _, ...current } = await requireCurrent(db, id);
  const { state, service, plan, requestedPlan } = current;
  if (state === "requested") {
    return update(db, current, { state: "cancelled" });
  }
  if (requestedPlan === null) {
    throw new StoreConflict(`No plan of ${service} is waiting for activation; ${plan} is active.`);
  }
  return update(db, current, { request: null });
}

// Also returns the service's plans on offer. Locks the row until the caller has written, if the database can lock rows: with an update that
// changes nothing.
async function requireCurrent(db: Queries, id: string): Promise<Subscription & { readonly offered: readonly Plan[] }> {
  const row = await db.updateTable("subscriptions").set({ id }).where("id", "=", id).returningAll().executeTakeFirst();
  if (row === undefined) {
    throw new StoreConflict(`There is no subscription with the ID ${id}.`);
  }
  if (row.state === "cancelled") {
    throw new StoreConflict(`The subscription ${id} is cancelled, which is final; create a new one.`);
  }
  const { plan_id, requested_plan_id, moves_to_plan_id } = row;
  const plans = await offeredAnd(db, row.service, [plan_id, requested_plan_id, moves_to_plan_id]);
  const find = (planId: string | null): PlanJson | null => plans.find((each) => each.id === planId) ?? null;
  const subscription = toSubscription({
    ...{ ...row, plan: find(plan_id) as PlanJson },
    ...{ requested_plan: find(requested_plan_id), next_plan: find(moves_to_plan_id) },
  });
  return { ...subscription, offered: plans.filter(({ position }) => position !== null).map(toPlan) };
}

type Changeable = Pick<Subscription, "state" | "terms" | "agreedAtMs" | "request" | "move">;

// The row is locked, and the plans are known: it need not be read again.
async function update(db: Queries, current: Subscription, change: Partial<Changeable>): Promise<Subscription> {
  const changed = withNames({ ...current, ...change });
  await db.updateTable("subscriptions").set(columnsOf(changed)).where("id", "=", current.id).execute();
  return changed;
}

const columnsOf = ({ state, terms, agreedAtMs, request, move }: Changeable) => ({
  state,
  plan_id: terms.id,
  agreed_at_ms: agreedAtMs,
  requested_plan_id: request?.terms.id ?? null,
  requested_at_ms: request?.atMs ?? null,
  moves_to_plan_id: move?.terms.id ?? null,
  moves_at_ms: move?.atMs ?? null,
});

const withNames = (subscription: Omit<Subscription, "plan" | "requestedPlan">): Subscription => ({
  ...subscription,
  plan: subscription.terms.name,
  requestedPlan: subscription.request?.terms.name ?? null,
});

/** Ordered by the account's name, then by service, oldest first within each. */
async function subscriptionPage(db: Queries, query: SubscriptionQuery): Promise<SubscriptionPage> {
  const { total } = await db
    .selectFrom("subscriptions")
    .where(matches(query))
    .select((row) => row.cast<number>(row.fn.countAll(), "bigint").as("total"))
    .executeTakeFirstOrThrow();
  const rows = await subscriptionRows(db)
    .innerJoin("accounts", "accounts.id", "subscriptions.account_id")
    .select(ACCOUNT_COLUMNS)
    .where(matches(query))
    .orderBy("accounts.name")
    .orderBy(SUBSCRIPTION_ORDER)
    .orderBy("subscriptions.created_at_ms")
    .orderBy("subscriptions.id")
    .limit(query.limit)
    .offset(query.offset)
    .execute();
  return {
    total,
    rows: rows.map((row) => ({ subscription: toSubscription(row), account: accountOf(row) })),
  };
}

const matches =
  ({ accountId, includeCancelled, pendingOnly }: SubscriptionQuery) =>
  (row: ExpressionBuilder<Pick<Tables, "subscriptions">, "subscriptions">): Expression<SqlBool> =>
    row.and([
      ...(accountId === undefined ? [] : [row("subscriptions.account_id", "=", accountId)]),
      ...(includeCancelled ? [] : [row("subscriptions.state", "<>", "cancelled")]),
      ...(pendingOnly ? [isWaiting(row)] : []),
    ]);

const isWaiting = (row: ExpressionBuilder<Pick<Tables, "subscriptions">, "subscriptions">): Expression<SqlBool> =>
  row.or([
    row("subscriptions.state", "=", "requested"),
    row.and([row("subscriptions.state", "=", "active"), row("subscriptions.requested_plan_id", "is not", null)]),
  ]);

/** How many subscriptions have a plan that is pending activation. */
async function waitingSubscriptions(db: Queries): Promise<number> {
  const { waiting } = await db
    .selectFrom("subscriptions")
    .where(isWaiting)
    .select((row) => row.cast<number>(row.fn.countAll(), "bigint").as("waiting"))
    .executeTakeFirstOrThrow();
  return waiting;
}

/** The active subscriptions of a version after this id, in the order of their ids; "" for the first. */
async function subscribersAfter(
  db: Queries,
  planId: string,
  id: string,
  limit: number,
): Promise<readonly Pick<Subscription, "id" | "accountId">[]> {
  return db
    .selectFrom("subscriptions")
    .select(["id", "account_id as accountId"])
    .where("plan_id", "=", planId)
    .where("state", "=", "active")
    .where("id", ">", id)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/**
 * The subscriptions with the most leased calls in the month, busiest first. Numbers of calls with as many digits and the same first digit
 * count as equal when the subscriptions are chosen, and so do all below 1,000.
 */
async function busiestSubscriptions(
  db: Queries,
  month: Month,
  limit: number,
): Promise<readonly Pick<Subscription, "id" | "accountId" | "terms">[]> {
  const rows = await db
    .with("busiest", (all) =>
      all
        .selectFrom("month_leases")
        .select(["account_id", "service", "leased"])
        .where("month", "=", month)
        .where(isOfSubscription)
        .orderBy("magnitude", "desc")
        .limit(limit),
    )
    .selectFrom("busiest")
    .innerJoin("subscriptions", (join) =>
      join
        .onRef("subscriptions.account_id", "=", "busiest.account_id")
        .onRef("subscriptions.service", "=", "busiest.service")
        .on("subscriptions.state", "=", "active"),
    )
    .innerJoin("plans as plan", "plan.id", "subscriptions.plan_id")
    .select(["subscriptions.id", "subscriptions.account_id", planColumn(db, "plan").$castTo<PlanJson>().as("plan")])
    .where("busiest.leased", ">", 0)
    .orderBy("busiest.leased", "desc")
    .execute();
  return rows.map(({ id, account_id: accountId, plan }) => ({ id, accountId, terms: planOf(plan) }));
}

/** Which subscriptions to move. Left out: all services, all plans, and to the version of the same plan that is on offer. */
export interface MoveSelection {
  readonly service?: ServiceName | undefined;
  readonly plan?: string | undefined;
  readonly to?: string | undefined;
}

/** How many subscribers of a retired version will be moved to which; undefined if there is no plan to move them to. */
export interface ScheduledMove {
  readonly from: Plan;
  readonly to: Plan | undefined;
  readonly subscribers: number;
  /** How many stay, because they pay by card and nothing can be collected for that plan instead. */
  readonly staying: number;
}

// Whether Stripe collects for a subscription.
const isPaidByCard = (row: ExpressionBuilder<Tables, "subscriptions">) =>
  row.exists(
    row
      .selectFrom("payment_subscriptions as payment")
      .select("payment.id")
      .whereRef("payment.account_id", "=", "subscriptions.account_id")
      .whereRef("payment.service", "=", "subscriptions.service")
      .where("payment.is_granted", "=", 1),
  );

/**
 * Decides that the active subscribers of retired versions move to versions on offer at `atMs`, and tells them if that is later. Those who
 * will be moved already, keep their time.
 */
async function scheduleMoves(
  db: Queries,
  { service, plan, to }: MoveSelection,
  atMs: number,
  nowMs: number,
): Promise<readonly ScheduledMove[]> {
  const moves: ScheduledMove[] = [];
  const versions = await planVersions(db);
  for (const from of versions) {
    if (from.isOffered || (service !== undefined && from.service !== service) || (plan !== undefined && from.name !== plan)) {
      continue;
    }
    const target = versions.find((each) => each.isOffered && each.service === from.service && each.name === (to ?? from.name));
    if (target === undefined) {
      moves.push({ from, to: undefined, subscribers: from.subscribers, staying: 0 });
      continue;
    }
    const canCollect = !isFree(target) && target.currency === from.currency;
    const waiting = (row: ExpressionBuilder<Tables, "subscriptions">) =>
      row.and({ plan_id: from.id, state: "active" }).and("moves_at_ms", "is", null);
    const rows = await db
      .updateTable("subscriptions")
      .set({ moves_to_plan_id: target.id, moves_at_ms: atMs })
      .where(waiting)
      .$if(!canCollect, (update) => update.where((row) => row.not(isPaidByCard(row))))
      .returning(["id", "account_id"])
      .execute();
    const { staying } = await db
      .selectFrom("subscriptions")
      .select((row) => row.cast<number>(row.fn.countAll(), "bigint").as("staying"))
      .where(waiting)
      .executeTakeFirstOrThrow();
    // Who is moved now learns it from that.
    for (let first = 0; atMs > nowMs && first < rows.length; first += NOTED_MAX) {
      const noted = rows.slice(first, first + NOTED_MAX).map(({ account_id }) => ({ accountId: account_id, terms: from }));
      await notePlans(db, "moving", noted, { terms: target, atMs }, nowMs);
    }
    moves.push({ from, to: target, subscribers: rows.length, staying });
  }
  return moves;
}

const NOTED_MAX = 500;

/** The ids of subscriptions that are due to move, the longest overdue first. Those paid by card are moved with their payment. */
async function dueMoves(db: Queries, limit: number, nowMs: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("subscriptions")
    .select("id")
    .where("moves_at_ms", "<=", nowMs)
    .where((row) => row.not(isPaidByCard(row)))
    .orderBy("moves_at_ms")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Moves a subscription that is due, and tells its customer. Undefined if another server has moved it, or the customer has changed it. */
async function moveDue(db: Queries, id: string, nowMs: number): Promise<Subscription | undefined> {
  const row = await db
    .updateTable("subscriptions")
    .set((row) => ({ plan_id: sql<string>`${row.ref("moves_to_plan_id")}`, agreed_at_ms: nowMs, ...NO_MOVE }))
    .where("id", "=", id)
    .where("moves_at_ms", "<=", nowMs)
    .where((row) => row.not(isPaidByCard(row)))
    .returning("id")
    .executeTakeFirst();
  if (row === undefined) {
    return undefined;
  }
  const moved = await subscriptionById(db, id);
  await endPeriods(db, [id], nowMs);
  await changePeriod(db, moved, undefined, nowMs);
  await chargeActivated(db, moved, moved.terms, nowMs);
  await notePlan(db, "moved", moved, { terms: moved.terms, atMs: nowMs }, nowMs);
  return moved;
}

// How many cancelled subscriptions of an account are kept.
const CANCELLED_MAX = 100;

/** If there are too many, deletes an account's oldest cancelled subscriptions. */
async function deleteOldestCancelled(db: Queries, accountId: string): Promise<void> {
  const kept = db
    .selectFrom("subscriptions")
    .select("id")
    .where("account_id", "=", accountId)
    .where("state", "=", "cancelled")
    .orderBy("created_at_ms", "desc")
    .orderBy("id")
    .limit(CANCELLED_MAX);
  await db
    .deleteFrom("subscriptions")
    .where("account_id", "=", accountId)
    .where("state", "=", "cancelled")
    .where("id", "not in", kept)
    .execute();
}

const cases = sql.join(
  SERVICE_NAMES.map((name, rank) => sql`when ${sql.lit(name)} then ${sql.lit(rank)}`),
  sql` `,
);

/** The position of the service in the column `subscriptions.service` in that order. */
const SUBSCRIPTION_ORDER: RawBuilder<number> = sql<number>`case ${sql.ref("subscriptions.service")} ${cases} end`;

/** The store's methods for subscriptions, and for calls that an operator credits for a month. */
export const subscriptionMethods = {
  createSubscription: changingAt(createSubscription, (created) => subscriptionNote("subscription.create", created)),
  listSubscriptions: read(listSubscriptions),
  listCurrentSubscriptions: read(listCurrentSubscriptions),
  subscriptionPage: read(subscriptionPage),
  waitingSubscriptions: read(waitingSubscriptions),
  scheduleMoves: (transactions: Transactions) => (selection: MoveSelection, atMs: number) =>
    transactions.writeAudited(
      (db) => scheduleMoves(db, selection, atMs, transactions.nowMs),
      (moves) => ({
        action: "plans.migrate_subscribers",
        accountId: null,
        details: {
          moves_at: isoTime(atMs),
          ...Object.fromEntries(
            moves.flatMap(({ from, to, subscribers }) => (to ? [[from.id, `${subscribers} to ${to.id}`]] : [])),
          ),
        },
      }),
    ),
  dueMoves: readAt(dueMoves),
  moveDue: changingAt(moveDue, (moved) => moved && subscriptionNote("subscription.move", moved)),
  subscribersAfter: read(subscribersAfter),
  busiestSubscriptions: read(busiestSubscriptions),
  findSubscriptionById: read(findSubscriptionById),
  findSubscription: read(findSubscription),
  requestPlan: changingAt(requestPlan, (changed) => subscriptionNote("subscription.request", changed)),
  activate: changingAt(activate, (changed) => subscriptionNote("subscription.activate", changed)),
  cancel: changingAt(cancel, (changed) => subscriptionNote("subscription.cancel", changed)),
  declinePlan: changing(declinePlan, (changed) => subscriptionNote("subscription.decline", changed)),
  // Announced as a change to the account, so that servers that consider the monthly quota used up try to lease again. `reason` is for the
  // audit trail.
  credit: (transactions: Transactions) => (subscriptionId: string, month: Month, calls: number, reason?: string) =>
    transactions.change(
      (db) => creditCalls(db, subscriptionId, month, calls),
      ({ accountId, service, credited }) => ({
        action: "quota.credit",
        accountId,
        subject: subscriptionId,
        details: { service, month, calls, credited, ...(reason !== undefined && { reason }) },
      }),
    ),
  leasedCalls: read(leasedCalls),
  leasedCapCalls: read(leasedCapCalls),
  raiseCaps: write(raiseCaps),
  addQuotaRaise: writeAt(addQuotaRaise),
  chargeRaise: write(chargeRaise),
};
