// Alerts about a customer's plan, in the transaction that changes it: the customer learns that a plan was requested, activated, or will
// change, and operators learn that one waits for them.
import type { Plan } from "../../catalogue/plan.ts";
import { isoTime } from "../../runtime/iso-time.ts";
import type { NewAlert } from "../alert-records.ts";
import type { PlanRequest, Subscription } from "../records.ts";
import type { Queries } from "../schema.ts";
import { addAlerts } from "./alert-checks.ts";

/**
 * What happened to a plan. `moving`: the operator will move the customer to it at a time. `moved`: that has happened. `unpaid`: a payment
 * failed, and it is kept until a time. `ended`: it has ended, or has replaced one that has, because that was no longer paid.
 */
export type PlanEvent = "requested" | "activated" | "moving" | "moved" | "unpaid" | "ended";

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

const planAlerts = (event: PlanEvent, subscribers: readonly Subscriber[], { terms, atMs }: PlanRequest, nowMs: number) =>
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
      },
    }),
  );

export const notePlan = (db: Queries, event: PlanEvent, subscriber: Subscriber, plan: PlanRequest, nowMs: number): Promise<void> =>
  notePlans(db, event, [subscriber], plan, nowMs);

/** Tells the customer and all operators that a plan was requested. */
export async function noteRequest(db: Queries, subscription: Subscription, terms: Plan, nowMs: number): Promise<void> {
  const { accountId, id } = subscription;
  const accounts = await db
    .selectFrom("accounts")
    .select(["id", "name"])
    .where((row) => row.or([row("id", "=", accountId), row.and([row("operator", "=", 1), row("deleted_at_ms", "is", null)])]))
    .execute();
  const account = accounts.find((each) => each.id === accountId)?.name ?? accountId;
  const alerts = accounts
    .filter((each) => each.id !== accountId)
    .map(
      (operator): NewAlert => ({
        accountId: operator.id,
        type: "plan.requested",
        subject: id,
        period: `${terms.id}/${isoTime(nowMs)}`,
        level: 0,
        isMailed: true,
        details: { account, ...termsOf(terms) },
      }),
    );
  await addAlerts(db, [...planAlerts("requested", [subscription], { terms, atMs: nowMs }, nowMs), ...alerts], MAILS, nowMs);
}
