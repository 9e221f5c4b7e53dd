// What operators earn: the monthly recurring revenue and how it changed in a month, and the month's paid plans for bookkeeping.
import type { Plan } from "../catalogue/plan.ts";
import type { PaidPeriod } from "../store/records.ts";

/** A calendar month, UTC. */
interface MonthSpan {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Amounts in minor units of the currency, each with the number of subscriptions. Begin + gained - lost + changed is the end. */
export interface Income {
  readonly currency: string;
  readonly begin: Amount;
  /** Subscriptions that cost nothing at the beginning of the month. */
  readonly gained: Amount;
  /** Subscriptions that cost nothing at its end. */
  readonly lost: Amount;
  /** By how much prices of other subscriptions rose or fell. */
  readonly changed: Amount;
  readonly end: Amount;
  /** The part of the end whose last payment failed. */
  readonly failed: Amount;
}

interface Amount {
  readonly minor: number;
  readonly subscriptions: number;
}

const sum = (amounts: readonly number[]): Amount => ({
  minor: amounts.reduce((total, minor) => total + minor, 0),
  subscriptions: amounts.length,
});

// What is paid for at a time, just before anything that happens then.
const at = (periods: readonly PaidPeriod[], atMs: number): ReadonlyMap<string, PaidPeriod> =>
  new Map(
    periods
      .filter(({ beganAtMs, endedAtMs }) => beganAtMs < atMs && (endedAtMs === null || endedAtMs >= atMs))
      .map((period) => [period.subscriptionId, period]),
  );

/** The income of a month, by currency. */
export function incomeOf(periods: readonly PaidPeriod[], { fromMs, untilMs }: MonthSpan): readonly Income[] {
  const begin = at(periods, fromMs);
  const end = at(periods, untilMs);
  const ids = [...new Set([...begin.keys(), ...end.keys()])];
  const currencies = new Set([...begin.values(), ...end.values()].map(({ terms }) => terms.currency));
  return [...currencies].toSorted().map((currency) => {
    const price = (period: PaidPeriod | undefined): number => (period?.terms.currency === currency ? period.terms.priceMinor : 0);
    const pairs = ids.map((id) => [price(begin.get(id)), price(end.get(id))] as const);
    return {
      currency,
      begin: sum(pairs.flatMap(([before]) => (before > 0 ? [before] : []))),
      gained: sum(pairs.flatMap(([before, after]) => (before === 0 && after > 0 ? [after] : []))),
      lost: sum(pairs.flatMap(([before, after]) => (before > 0 && after === 0 ? [before] : []))),
      changed: sum(pairs.flatMap(([before, after]) => (before > 0 && after > 0 && before !== after ? [after - before] : []))),
      end: sum(pairs.flatMap(([, after]) => (after > 0 ? [after] : []))),
      failed: sum(
        [...end.values()].filter((each) => each.terms.currency === currency && each.payment?.unpaidSinceMs != null).map(price),
      ),
    };
  });
}

/** A paid plan in a month. */
export interface BillingLine {
  readonly accountId: string;
  readonly accountName: string | null;
  readonly terms: Plan;
  readonly fromMs: number;
  readonly untilMs: number;
  /** The share of the price for this part of the month, in minor units. */
  readonly netMinor: number;
  readonly payment: PaidPeriod["payment"];
}

/** What was paid for in a month, cut at its ends. */
export function billingLines(periods: readonly PaidPeriod[], month: MonthSpan): readonly BillingLine[] {
  return periods
    .map(({ accountId, accountName, terms, beganAtMs, endedAtMs, payment }) => {
      const fromMs = Math.max(beganAtMs, month.fromMs);
      const untilMs = Math.min(endedAtMs ?? month.untilMs, month.untilMs);
      const netMinor = Math.round((terms.priceMinor * (untilMs - fromMs)) / (month.untilMs - month.fromMs));
      return { accountId, accountName, terms, fromMs, untilMs, netMinor, payment };
    })
    .filter(({ fromMs, untilMs }) => fromMs < untilMs);
}
