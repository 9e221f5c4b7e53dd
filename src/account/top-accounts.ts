// The usage of all accounts in a span of days, for operators: sums by service, and the accounts with the most calls.
import type { ServiceName } from "../catalogue/service-names.ts";
import { dayAt } from "../runtime/calendar.ts";
import type { Clock } from "../runtime/clock.ts";
import type { AdminStore } from "../store/store.ts";
import type { ServiceCalls, TopAccounts } from "../store/usage-records.ts";
import { refundedOutcomes } from "./usage-history.ts";
import { type RequestedSpan, spanOf } from "./usage-span.ts";

export interface TopAccountsReport {
  readonly fromDay: string;
  readonly toDay: string;
  readonly services: TopAccounts["services"];
  readonly accounts: readonly (TopAccounts["accounts"][number] & Omit<ServiceCalls, "service">)[];
}

/** Builds the report. Rejects with a Failure if a day is not a date, or the span is empty or longer than 366 days. */
export async function topAccountsReport(
  { store, clock }: { readonly store: Pick<AdminStore, "topAccounts">; readonly clock: Pick<Clock, "nowMs"> },
  { service, limit, ...requested }: RequestedSpan & { readonly service?: ServiceName | undefined; readonly limit: number },
): Promise<TopAccountsReport> {
  const span = spanOf(requested, dayAt(clock.nowMs()).day);
  const { services, accounts } = await store.topAccounts({ ...span, service, limit, refunded: refundedOutcomes });
  return {
    ...span,
    services,
    accounts: accounts.map((account) => ({
      ...account,
      calls: sum(account.services.map(({ calls }) => calls)),
      counted: sum(account.services.map(({ counted }) => counted)),
    })),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
