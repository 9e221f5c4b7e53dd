// Payments by card: what was last read of each subscription at Stripe, and the plan that the account has because of it. Both change in one
// transaction. Each function runs in the given transaction.
import type { Selectable } from "kysely";
import { moneyText } from "../../catalogue/money.ts";
import { isFree, type Plan } from "../../catalogue/plan.ts";
import type { ServiceName } from "../../catalogue/service-names.ts";
import { isoTime } from "../../runtime/iso-time.ts";
import type { Queries, Tables } from "../schema.ts";
import { type AccountNote, type Bound, changingAt, read, readAt, writeAt } from "../transactions.ts";
import { tryLockAccount } from "./accounts.ts";
import type { DatedTable } from "./expired-counts.ts";
import { takeFreeMonth } from "./mailboxes.ts";
import { type CardDetails, noteDispute, notePlan } from "./plan-alerts.ts";
import { toPlan } from "./plans.ts";
import { cancel, findSubscription, giveTerms } from "./subscriptions.ts";

/** What Stripe says about a subscription. */
export interface PaymentFacts {
  readonly id: string;
  readonly accountId: string;
  readonly service: ServiceName;
  /** What each period costs. */
  readonly item: {
    /** The id of a version of a plan. */
    readonly planId: string;
    readonly priceMinor: number;
    /** ISO 4217. */
    readonly currency: string;
    /** Whether the price is for one month of one such plan, and nothing else. */
    readonly isOneMonth: boolean;
  };
  readonly status: string;
  readonly isPaused: boolean;
  /** The end of what is paid and of the grace after it; 0 if nothing is. */
  readonly entitledUntilMs: number;
  /** When a payment was due that has failed; null if none has. */
  readonly unpaidSinceMs: number | null;
  readonly cancelsAtMs: number | null;
  readonly endedBecause: "dispute" | "refund" | null;
  /** The page of the last invoice. */
  readonly invoiceUrl: string | null;
  /** What was paid of it, in the currency's minor unit. */
  readonly paidMinor: number;
  readonly createdAtMs: number;
}

/** A payment as it was last read. */
export interface Payment {
  readonly id: string;
  readonly accountId: string;
  readonly service: ServiceName;
  readonly planId: string | null;
  /** The subscription that it pays for; null if it never has. */
  readonly subscriptionId: string | null;
  readonly status: string;
  readonly isGranted: boolean;
  readonly entitledUntilMs: number;
  readonly unpaidSinceMs: number | null;
  readonly cancelsAtMs: number | null;
  readonly endedBecause: string | null;
  readonly invoiceUrl: string | null;
}

/**
 * What has to be done at Stripe. `cancel`: end it. `refund`: it pays for what another one pays for already, so give back its last payment
 * and end it. `pause`, `resume`: stop and start collecting, because the account was suspended or is no longer. `move`: collect for
 * another version from the next invoice on, because the operator moves the subscriber.
 */
export type PaymentAction = "cancel" | "refund" | "pause" | "resume" | "move" | "none";

export interface AppliedPayment {
  /** `stale`: it has changed since `version`, so it must be read again. `unknown`: there has never been such an account. */
  readonly outcome: "applied" | "stale" | "unknown";
  readonly action: PaymentAction;
  /** The version to `move` to. */
  readonly next: Plan | undefined;
  readonly note: AccountNote | undefined;
}

/** The statuses in which Stripe will never collect again. */
const FINAL = ["canceled", "incomplete_expired"];

const DAY_MS = 86_400_000;
// Stripe sends an event again for three days at most.
const EVENT_DAYS = 30;
export const PAYMENT_EVENTS: DatedTable = { table: "payment_events", key: ["id"], time: "received_at_ms" };
export const firstEventKept = (nowMs: number): number => nowMs - EVENT_DAYS * DAY_MS;

type PaymentRow = Selectable<Tables["payment_subscriptions"]>;

const toPayment = (row: PaymentRow): Payment => ({
  id: row.id,
  accountId: row.account_id,
  service: row.service as ServiceName,
  planId: row.plan_id,
  subscriptionId: row.subscription_id,
  status: row.status,
  isGranted: row.is_granted === 1,
  entitledUntilMs: row.entitled_until_ms,
  unpaidSinceMs: row.unpaid_since_ms,
  cancelsAtMs: row.cancels_at_ms,
  endedBecause: row.ended_because,
  invoiceUrl: row.invoice_url,
});

const payments = (db: Queries) => db.selectFrom("payment_subscriptions").selectAll();

/** Counts the changes of a payment; 0 if it is not known. */
async function paymentVersion(db: Queries, id: string): Promise<number> {
  return (await payments(db).where("id", "=", id).executeTakeFirst())?.version ?? 0;
}

/** The account's payments that have not ended, by service. */
async function livePayments(db: Queries, accountId: string): Promise<readonly Payment[]> {
  const rows = await payments(db)
    .where("account_id", "=", accountId)
    .where("status", "not in", FINAL)
    .orderBy("service")
    .orderBy("is_granted", "desc")
    .orderBy("created_at_ms", "desc")
    .execute();
  return rows.map(toPayment);
}

/** The ids of payments that have not ended, after this id and in their order; "" for the first. */
async function livePaymentIds(db: Queries, afterId: string, limit: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("payment_subscriptions")
    .select("id")
    .where("status", "not in", FINAL)
    .where("id", ">", afterId)
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * The ids of payments for which there is something to do: what was paid has ended, or their account was suspended, resumed or deleted, or
 * somebody has cancelled their subscription here, or it is due to move.
 */
async function duePayments(db: Queries, limit: number, nowMs: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("payment_subscriptions as payment")
    .innerJoin("accounts as account", "account.id", "payment.account_id")
    .leftJoin("subscriptions as subscription", "subscription.id", "payment.subscription_id")
    .select("payment.id")
    .where((row) =>
      row.or([
        row.and([row("payment.is_granted", "=", 1), row("payment.entitled_until_ms", "<=", nowMs)]),
        row.and([
          row("payment.status", "not in", FINAL),
          row.or([
            row("account.deleted_at_ms", "is not", null),
            row("account.suspended", "<>", row.ref("payment.is_paused")),
            row.and([
              row("payment.is_granted", "=", 1),
              row.or([
                row("subscription.state", "=", "cancelled"),
                row("subscription.id", "is", null),
                row("subscription.moves_at_ms", "<=", nowMs),
              ]),
            ]),
          ]),
        ]),
      ]),
    )
    .orderBy("payment.entitled_until_ms")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

// The version of the plan that these facts pay for; undefined if they pay for something else.
async function paidPlan(db: Queries, { service, item }: PaymentFacts): Promise<Plan | undefined> {
  const row = await db.selectFrom("plans").selectAll().where("id", "=", item.planId).executeTakeFirst();
  return row?.service === service &&
    item.isOneMonth &&
    row.price_minor === item.priceMinor &&
    row.currency === item.currency &&
    row.price_minor > 0
    ? toPlan(row)
    : undefined;
}

const NOT_APPLIED = { action: "none", next: undefined, note: undefined } as const;

/**
 * Records what Stripe says, and gives the account the plan that is paid, or takes it away. `version` is that of the payment before Stripe
 * was asked: if another server has recorded something since, nothing is changed, because what this one has read may be older.
 */
async function applyPayment(
  db: Queries,
  facts: PaymentFacts,
  { version, fallsToFree, newId }: { readonly version: number; readonly fallsToFree: boolean; readonly newId: string },
  nowMs: number,
): Promise<AppliedPayment> {
  const { id, accountId, service } = facts;
  const isLocked = await tryLockAccount(db, accountId);
  const account = await db.selectFrom("accounts").select("suspended").where("id", "=", accountId).executeTakeFirst();
  if (account === undefined) {
    return { outcome: "unknown", ...NOT_APPLIED };
  }
  const before = await payments(db).where("id", "=", id).executeTakeFirst();
  if ((before?.version ?? 0) !== version) {
    return { outcome: "stale", ...NOT_APPLIED };
  }
  const plan = await paidPlan(db, facts);
  const isLive = !FINAL.includes(facts.status);
  const current = await findSubscription(db, accountId, service);
  const isLeft = before?.ended_because === "cancelled" || (before?.is_granted === 1 && current?.id !== before.subscription_id);
  const isEntitled = isLocked && plan !== undefined && facts.entitledUntilMs > nowMs && facts.endedBecause === null && !isLeft;
  const isDouble = await isPaidByAnother(db, facts, isEntitled, nowMs);
  let subscriptionId = before?.subscription_id ?? null;
  const isGranted = isEntitled && !isDouble;
  const next = isGranted && current?.move && current.move.atMs <= nowMs ? current.move.terms : undefined;
  if (isGranted) {
    const given = await giveTerms(db, accountId, plan, newId, nowMs);
    subscriptionId = given.id;
    const isPaid = facts.paidMinor > 0 && facts.unpaidSinceMs === null;
    const invoice: CardDetails = facts.invoiceUrl === null ? {} : { invoice_url: facts.invoiceUrl };
    const paid: CardDetails = isPaid ? { ...invoice, paid_minor: facts.paidMinor } : {};
    if (next?.id === plan.id) {
      await notePlan(db, "moved", given, { terms: plan, atMs: nowMs }, nowMs);
    } else if (given.id !== current?.id || current.terms.id !== plan.id) {
      await notePlan(db, "activated", given, { terms: plan, atMs: nowMs }, nowMs, paid);
    } else if (isPaid && (before?.invoice_url !== facts.invoiceUrl || before.unpaid_since_ms !== null)) {
      await notePlan(db, "paid", given, { terms: plan, atMs: nowMs }, nowMs, paid);
    }
    if (facts.unpaidSinceMs !== null && before?.unpaid_since_ms !== facts.unpaidSinceMs) {
      await notePlan(db, "unpaid", given, { terms: plan, atMs: facts.entitledUntilMs }, nowMs, invoice);
    }
  } else if (before?.is_granted === 1 && isLocked) {
    const isCancelled = facts.unpaidSinceMs === null && (!isLive || (facts.cancelsAtMs ?? nowMs + 1) <= nowMs);
    const because = facts.endedBecause ?? (isCancelled ? "cancelled" : "unpaid");
    await takeAway(db, { ...facts, subscriptionId }, { fallsToFree, newId, because }, nowMs);
  }
  if (plan !== undefined && facts.endedBecause === "dispute" && before?.ended_because !== "dispute") {
    await noteDispute(db, facts, plan, nowMs);
  }
  const known = {
    plan_id: plan?.id ?? null,
    subscription_id: subscriptionId,
    status: facts.status,
    is_granted: isGranted ? 1 : 0,
    is_paused: facts.isPaused ? 1 : 0,
    entitled_until_ms: facts.entitledUntilMs,
    unpaid_since_ms: facts.unpaidSinceMs,
    cancels_at_ms: facts.cancelsAtMs,
    // Remembered, because the server may end before it has cancelled at Stripe.
    ended_because: isLeft ? "cancelled" : (facts.endedBecause ?? before?.ended_because ?? null),
    invoice_url: facts.invoiceUrl,
    read_at_ms: nowMs,
    version: version + 1,
  } as const;
  if (before === undefined) {
    await db
      .insertInto("payment_subscriptions")
      .values({ id, account_id: accountId, service, created_at_ms: facts.createdAtMs, ...known })
      .execute();
  } else {
    await db.updateTable("payment_subscriptions").set(known).where("id", "=", id).execute();
  }
  const isInvoiced = known.invoice_url !== null && before?.invoice_url !== known.invoice_url;
  const isChanged =
    before === undefined ||
    isInvoiced ||
    RECORDED.some((column) => before[column] !== known[column]) ||
    before.is_granted !== known.is_granted;
  return {
    outcome: "applied",
    action: isLive
      ? actionFor({
          ...facts,
          ...{ isLocked, isEntitled, isDouble, isLeft },
          isSuspended: account.suspended === 1,
          isMoving: next !== undefined && next.id !== plan?.id,
        })
      : "none",
    next,
    note: isChanged
      ? {
          action: "payment.update",
          accountId,
          subject: id,
          details: {
            service,
            plan: known.plan_id,
            price: moneyText(facts.item.priceMinor, facts.item.currency),
            status: facts.status,
            granted: isGranted,
            ...(facts.unpaidSinceMs !== null && { unpaid_since: isoTime(facts.unpaidSinceMs) }),
            ...(isInvoiced && { invoice: known.invoice_url }),
            ...(facts.endedBecause !== null && { because: facts.endedBecause }),
            ...(isDouble && { because: "paid twice" }),
          },
        }
      : undefined,
  };
}

const RECORDED = ["plan_id", "status", "is_paused", "unpaid_since_ms", "cancels_at_ms", "ended_because"] as const;

interface Judged extends Pick<PaymentFacts, "isPaused" | "endedBecause"> {
  readonly isLocked: boolean;
  readonly isEntitled: boolean;
  readonly isDouble: boolean;
  readonly isLeft: boolean;
  readonly isSuspended: boolean;
  readonly isMoving: boolean;
}

function actionFor(payment: Judged): PaymentAction {
  if (payment.isDouble) {
    return payment.isEntitled ? "refund" : "cancel";
  }
  // Not locked: the account is deleted. Left: its subscription was cancelled here.
  if (!payment.isLocked || payment.isLeft || payment.endedBecause !== null) {
    return "cancel";
  }
  if (payment.isSuspended !== payment.isPaused) {
    return payment.isSuspended ? "pause" : "resume";
  }
  return payment.isMoving ? "move" : "none";
}

// Whether the account has its plan of the service because of another payment. One that has run out no longer counts.
async function isPaidByAnother(db: Queries, facts: PaymentFacts, isEntitled: boolean, nowMs: number): Promise<boolean> {
  const other = await payments(db)
    .where("account_id", "=", facts.accountId)
    .where("service", "=", facts.service)
    .where("is_granted", "=", 1)
    .where("id", "<>", facts.id)
    .executeTakeFirst();
  if (other === undefined || (isEntitled && other.entitled_until_ms <= nowMs)) {
    await db
      .updateTable("payment_subscriptions")
      .set((row) => ({ is_granted: 0, version: row("version", "+", 1) }))
      .where("id", "=", other?.id ?? "")
      .execute();
    return false;
  }
  return true;
}

// Gives the account the service's free plan, or nothing, unless its subscription has ended or is another one by now.
async function takeAway(
  db: Queries,
  { accountId, service, subscriptionId }: Pick<Payment, "accountId" | "service" | "subscriptionId">,
  {
    fallsToFree,
    newId,
    because,
  }: { readonly fallsToFree: boolean; readonly newId: string } & Required<Pick<CardDetails, "because">>,
  nowMs: number,
): Promise<void> {
  const current = await findSubscription(db, accountId, service);
  if (current === undefined || current.id !== subscriptionId) {
    return;
  }
  const offered = await db
    .selectFrom("plans")
    .selectAll()
    .where("service", "=", service)
    .where("position", "is not", null)
    .orderBy("position")
    .execute();
  const free = fallsToFree ? offered.map(toPlan).find(isFree) : undefined;
  if (free === undefined || !(await takeFreeMonth(db, accountId, service, nowMs))) {
    await cancel(db, current.id, nowMs);
    await notePlan(db, "ended", current, { terms: current.terms, atMs: nowMs }, nowMs, { because });
  } else {
    await giveTerms(db, accountId, free, newId, nowMs);
    await notePlan(db, "ended", current, { terms: free, atMs: nowMs }, nowMs, { because });
  }
}

/** Ends a plan whose paid time and grace are over, when Stripe cannot be asked. Undefined if there is nothing to end. */
async function endOverdue(
  db: Queries,
  id: string,
  { fallsToFree, newId }: { readonly fallsToFree: boolean; readonly newId: string },
  nowMs: number,
): Promise<Payment | undefined> {
  const found = await payments(db).where("id", "=", id).executeTakeFirst();
  if (found === undefined || !(await tryLockAccount(db, found.account_id))) {
    return undefined;
  }
  const row = await db
    .updateTable("payment_subscriptions")
    .set((columns) => ({ is_granted: 0, version: columns("version", "+", 1) }))
    .where("id", "=", id)
    .where("is_granted", "=", 1)
    .where("entitled_until_ms", "<=", nowMs)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    return undefined;
  }
  const payment = toPayment(row);
  const because = payment.unpaidSinceMs === null && payment.cancelsAtMs !== null ? "cancelled" : "unpaid";
  await takeAway(db, payment, { fallsToFree, newId, because }, nowMs);
  return payment;
}

/** Records that an event has arrived. False if it was handled before. */
async function receiveEvent(db: Queries, id: string, type: string, nowMs: number): Promise<boolean> {
  await db
    .insertInto("payment_events")
    .values({ id, type, received_at_ms: nowMs, handled_at_ms: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await db.selectFrom("payment_events").select("handled_at_ms").where("id", "=", id).executeTakeFirst();
  return row?.handled_at_ms === null;
}

async function eventHandled(db: Queries, id: string, nowMs: number): Promise<void> {
  await db.updateTable("payment_events").set({ handled_at_ms: nowMs }).where("id", "=", id).execute();
}

/** The account's customer at Stripe. */
async function paymentCustomer(db: Queries, accountId: string): Promise<string | undefined> {
  const row = await db.selectFrom("payment_customers").select("customer_id").where("account_id", "=", accountId).executeTakeFirst();
  return row?.customer_id;
}

/** Records the account's customer at Stripe, instead of `former`, if there was one. Returns the one that was recorded first. */
async function addPaymentCustomer(
  db: Queries,
  accountId: string,
  customerId: string,
  former: string | undefined,
  nowMs: number,
): Promise<string> {
  await db
    .insertInto("payment_customers")
    .values({ account_id: accountId, customer_id: customerId, created_at_ms: nowMs })
    .onConflict((conflict) =>
      conflict
        .column("account_id")
        .doUpdateSet({ customer_id: customerId })
        .where("payment_customers.customer_id", "=", former ?? ""),
    )
    .execute();
  return (await paymentCustomer(db, accountId)) ?? customerId;
}

/** The store's methods for payments by card. */
export const paymentMethods = {
  applyPayment: changingAt(applyPayment, ({ note }) => note),
  endOverdue: changingAt(
    endOverdue,
    (ended) =>
      ended && {
        action: "payment.update",
        accountId: ended.accountId,
        subject: ended.id,
        details: { service: ended.service, plan: ended.planId, status: ended.status, granted: false, because: "overdue" },
      },
  ),
  paymentVersion: read(paymentVersion),
  livePayments: read(livePayments),
  livePaymentIds: read(livePaymentIds),
  duePayments: readAt(duePayments),
  receiveEvent: writeAt(receiveEvent),
  eventHandled: writeAt(eventHandled),
  paymentCustomer: read(paymentCustomer),
  addPaymentCustomer: writeAt(addPaymentCustomer),
};

/** These methods. */
export type PaymentStore = Bound<typeof paymentMethods>;
