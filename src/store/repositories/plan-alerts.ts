// Alerts about a customer's plan, in the transaction that changes it: the customer learns that a plan was requested, activated, paid, or
// will change, and operators learn that one waits for them, or that a payment is disputed.
import type { Plan } from "../../catalogue/plan.ts";
import { isoTime } from "../../runtime/iso-time.ts";
import type { NewAlert } from "../alert-records.ts";
import type { PlanRequest, Subscription } from "../records.ts";
import type { Queries } from "../schema.ts";
import { addAlerts } from "./alert-checks.ts";

/**
 * What happened to a plan. `moving`: the operator will move the customer to it at a time. `moved`: that has happened. `unpaid`: a payment
 * failed, and it is kept until a time. `ended`: it has ended, or has replaced one that has, because that was no longer paid. `paid`:
 * another month was.
 */
export type PlanEvent = "requested" | "activated" | "moving" | "moved" | "unpaid" | "ended" | "paid";

/** What else is said about a plan that is paid by card. */
export interface CardDetails {
  readonly invoice_url?: string;
  readonly paid_minor?: number;
  /** Why it has ended. */
  readonly because?: "dispute" | "refund" | "cancelled" | "unpaid";
}

// Whether this process sends mail does not matter: another one that uses the database may.
const MAILS = { mails: true };

const termsOf = ({ service, name, priceMinor, currency, callsPerMonth, requestsPerSecond }: Plan) => ({
  service,
  plan: name,
  price_minor: priceMinor,
  currency,
  calls_per_month: callsPerMonth,
  requests_per_second: requestsPerSecond,
});

type Subscriber = Pick<Subscription, "accountId" | "terms">;

/** Tells customers about a plan, and when it began or begins. */
export async function notePlans(
  db: Queries,
  event: PlanEvent,
  subscribers: readonly Subscriber[],
  plan: PlanRequest,
  nowMs: number,
): Promise<void> {
  await addAlerts(db, planAlerts(event, subscribers, plan, nowMs), MAILS, nowMs);
}

const planAlerts = (
  event: PlanEvent,
  subscribers: readonly Subscriber[],
  { terms, atMs }: PlanRequest,
  nowMs: number,
  card: CardDetails = {},
) =>
  subscribers.map(
    ({ accountId, terms: current }): NewAlert => ({
      accountId,
      type: "plan.changed",
      subject: terms.service,
      period: `${event}/${terms.id}/${isoTime(nowMs)}`,
      level: 0,
      isMailed: true,
      details: {
        event,
        ...termsOf(terms),
        at: isoTime(atMs),
        ...(current.id !== terms.id && {
          current_plan: current.name,
          current_price_minor: current.priceMinor,
          current_currency: current.currency,
        }),
        ...card,
      },
    }),
  );

/** The same for one customer, with what is known of the payment. */
export async function notePlan(
  db: Queries,
  event: PlanEvent,
  subscriber: Subscriber,
  plan: PlanRequest,
  nowMs: number,
  card?: CardDetails,
): Promise<void> {
  await addAlerts(db, planAlerts(event, [subscriber], plan, nowMs, card), MAILS, nowMs);
}

/** Tells the customer and all operators that a plan was requested. */
export async function noteRequest(db: Queries, subscription: Subscription, terms: Plan, nowMs: number): Promise<void> {
  const requested = planAlerts("requested", [subscription], { terms, atMs: nowMs }, nowMs);
  const { accountId, id } = subscription;
  await addAlerts(
    db,
    [...requested, ...(await operatorAlerts(db, "plan.requested", { accountId, subject: id, terms }, nowMs))],
    MAILS,
    nowMs,
  );
}

/** Tells all operators that a payment for a plan is disputed. */
export async function noteDispute(
  db: Queries,
  payment: { readonly id: string; readonly accountId: string; readonly invoiceUrl: string | null },
  terms: Plan,
  nowMs: number,
): Promise<void> {
  const about = { accountId: payment.accountId, subject: payment.id, terms };
  const card = payment.invoiceUrl === null ? {} : { invoice_url: payment.invoiceUrl };
  await addAlerts(db, await operatorAlerts(db, "plan.disputed", about, nowMs, card), MAILS, nowMs);
}

async function operatorAlerts(
  db: Queries,
  type: "plan.requested" | "plan.disputed",
  { accountId, subject, terms }: { readonly accountId: string; readonly subject: string; readonly terms: Plan },
  nowMs: number,
  card: CardDetails = {},
): Promise<readonly NewAlert[]> {
  const accounts = await db
    .selectFrom("accounts")
    .select(["id", "name"])
    .where((row) => row.or([row("id", "=", accountId), row.and([row("operator", "=", 1), row("deleted_at_ms", "is", null)])]))
    .execute();
  const account = accounts.find((each) => each.id === accountId)?.name ?? accountId;
  return accounts
    .filter((each) => each.id !== accountId)
    .map(
      (operator): NewAlert => ({
        ...{ accountId: operator.id, type, subject, period: `${terms.id}/${isoTime(nowMs)}`, level: 0, isMailed: true },
        details: { account, ...termsOf(terms), ...card },
      }),
    );
}
