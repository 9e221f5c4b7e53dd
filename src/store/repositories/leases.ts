// The leases: how many calls of a month are leased, by account and service.
import { sql } from "kysely";
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { Month } from "../../runtime/calendar.ts";
import type { LeaseRequest, LeaseTable, ReturnRequest } from "../backend.ts";
import type { BatchResult } from "../batcher.ts";
import type { CreditedCalls, LeasedCalls, LeaseGrant, LeaseSubject } from "../records.ts";
import type { Queries } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import { serviceOfCap } from "./key-caps.ts";

// The sum with a plan's calls stays below 2^32, the limit of the guard's shared memory.
const CREDITED_MAX = 1_000_000_000;

/** The leases of the embedded database, which runs writing transactions one after another. Two statements serve a whole batch. */
export function serialLeases(write: <Result>(work: (db: Queries) => Promise<Result>) => Promise<Result>): LeaseTable {
  const all = <Request extends CounterName, Result>(
    requests: readonly Request[],
    change: (counter: Counter, request: Request) => Result,
  ) =>
    write(async (db) => {
      const counters = await countersOf(db, requests);
      const before = counters.map((counter) => counter?.leased);
      const results = requests.map((request, index): BatchResult<Result> => {
        const counter = counters[index];
        // A request for a subscription that does not exist changes nothing, and does not make the others fail.
        return counter === undefined ? { error: noSubscription(request.subject) } : { result: change(counter, request) };
      });
      const changed = counters.filter((counter, index) => counter?.leased !== before[index]);
      await writeCounters(db, [...new Set(changed)]);
      return results;
    });
  return {
    lease: (requests) => all(requests, lease),
    returnCalls: (requests) => all(requests, returnCalls),
    batchMax: 100,
    concurrencyMax: 1,
  };
}

type CounterName = Pick<LeaseRequest, "subject" | "month">;

/** How many calls of a month are leased. */
interface Counter {
  readonly account_id: string;
  readonly service: string;
  readonly month: Month;
  readonly credited: number;
  readonly closed: number;
  leased: number;
}

function lease(counter: Counter, { callsPerMonth, want }: LeaseRequest): LeaseGrant {
  // After a change to a smaller plan, more may be leased than the plan includes.
  const left = counter.closed === 1 ? 0 : Math.max(0, callsPerMonth + counter.credited - counter.leased);
  const granted = Math.min(want, left);
  counter.leased += granted;
  return { granted, unleased: left - granted };
}

// The count never goes below zero.
function returnCalls(counter: Counter, { calls }: ReturnRequest): undefined {
  counter.leased = Math.max(0, counter.leased - calls);
}

// In the order of the names. Names of the same counter get the same object; undefined if there is no such subscription.
async function countersOf(db: Queries, names: readonly CounterName[]): Promise<(Counter | undefined)[]> {
  const json = JSON.stringify(names.map(({ subject, month }) => [...subjectColumns(subject), month]));
  const { rows } = await sql<Counter & { index: number }>`
    select name.key as "index", coalesce(s.account_id, name.value ->> 1) as account_id, coalesce(s.service, name.value ->> 2) as service,
      name.value ->> 3 as month,
      coalesce(m.leased, 0) as leased, coalesce(m.credited, 0) as credited, coalesce(m.closed, 0) as closed
    from json_each(${json}) as name
    left join subscriptions as s on s.id = name.value ->> 0
    left join month_leases as m on m.account_id = coalesce(s.account_id, name.value ->> 1)
      and m.service = coalesce(s.service, name.value ->> 2) and m.month = name.value ->> 3
    where s.id is not null or name.value ->> 0 is null
  `.execute(db);
  const byName = new Map<string, Counter>();
  const counters: (Counter | undefined)[] = names.map(() => undefined);
  for (const { index, ...row } of rows) {
    const name = `${row.account_id} ${row.service} ${row.month}`;
    const counter = byName.get(name) ?? row;
    byName.set(name, counter);
    counters[index] = counter;
  }
  return counters;
}

async function writeCounters(db: Queries, counters: readonly (Counter | undefined)[]): Promise<void> {
  if (counters.length > 0) {
    // Without the condition SQLite would parse "on conflict" as part of a join.
    await sql`
      insert into month_leases (account_id, service, month, leased)
      select value ->> 'account_id', value ->> 'service', value ->> 'month', value ->> 'leased'
      from json_each(${JSON.stringify(counters)}) where true
      on conflict (account_id, service, month) do update set leased = excluded.leased
    `.execute(db);
  }
}

/** The columns of a request: the subscription's id, or the account and the cap's value of `service`. */
export const subjectColumns = (
  subject: LeaseSubject,
): readonly [subscriptionId: string | null, accountId: string | null, service: string | null] =>
  typeof subject === "string" ? [subject, null, null] : [null, subject.accountId, serviceOfCap(subject)];

/** The error for a lease of a subscription that does not exist. */
export const noSubscription = (subject: LeaseSubject | undefined): StoreConflict =>
  new StoreConflict(`There is no subscription with the ID ${typeof subject === "string" ? subject : ""}.`);

/** How much is leased for each subscription, in the order of the ids; unknown ids are left out. */
export async function leasedCalls(db: Queries, subscriptionIds: readonly string[], month: Month): Promise<readonly LeasedCalls[]> {
  // PostgreSQL does not allow `in ()`.
  if (subscriptionIds.length === 0) {
    return [];
  }
  const rows = await db
    .selectFrom("subscriptions")
    .leftJoin("month_leases", (join) =>
      join
        .onRef("month_leases.account_id", "=", "subscriptions.account_id")
        .onRef("month_leases.service", "=", "subscriptions.service")
        .on("month_leases.month", "=", month),
    )
    .select([
      "subscriptions.id as id",
      "month_leases.leased as leased",
      "month_leases.credited as credited",
      "month_leases.raised as raised",
    ])
    .where("subscriptions.id", "in", subscriptionIds)
    .execute();
  const byId = new Map(
    rows.map(({ id, leased, credited, raised }) => [id, { leased: leased ?? 0, credited: credited ?? 0, raised: raised ?? 0 }]),
  );
  return subscriptionIds.flatMap((subscriptionId) => {
    const calls = byId.get(subscriptionId);
    return calls === undefined ? [] : [{ subscriptionId, month, ...calls }];
  });
}

/**
 * Adds calls to a month of the subscription, on top of the plan's. StoreConflict if there is no such subscription, or if the month's
 * total would exceed 1,000,000,000. `reason` is for the audit trail.
 */
export async function creditCalls(db: Queries, subscriptionId: string, month: Month, calls: number): Promise<CreditedCalls> {
  const row = await db
    .insertInto("month_leases")
    .columns(["account_id", "service", "month", "leased", "credited"])
    .expression((insert) =>
      insert
        .selectFrom("subscriptions")
        .select(["account_id", "service"])
        .select([
          sql<Month>`cast(${month} as text)`.as("month"),
          sql<number>`0`.as("leased"),
          sql<number>`cast(${calls} as bigint)`.as("credited"),
        ])
        .where("id", "=", subscriptionId),
    )
    .onConflict((conflict) =>
      conflict
        .columns(["account_id", "service", "month"])
        .doUpdateSet({ credited: sql<number>`month_leases.credited + excluded.credited` }),
    )
    .returning(["account_id", "service", "credited"])
    .executeTakeFirst();
  if (row === undefined) {
    throw noSubscription(subscriptionId);
  }
  const { account_id: accountId, service, credited } = row;
  if (credited > CREDITED_MAX) {
    throw new StoreConflict(`At most ${CREDITED_MAX} calls can be added for a month; with these there would be ${credited}.`);
  }
  return { accountId, service: service as ServiceName, month, credited };
}
