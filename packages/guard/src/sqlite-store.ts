// Keys, subscriptions and counts in one SQLite file, which several processes of a machine may share. Every charge is one transaction, so
// counts are exact, and a process that is killed loses none.
import { randomUUID } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { KeyRecord, Plan, Subscription } from "./access.ts";
import type { GeneratedKey } from "./key-format.ts";
import type { Charge, Charged, GuardStore } from "./store.ts";
import { aheadAt, type BucketSize, bucketSize, REFUSED, takeTokens, tokensLeft, untilNextToken } from "./token-bucket.ts";

const TABLES = `
  pragma journal_mode = wal;
  pragma synchronous = normal;
  pragma busy_timeout = 5000;
  create table if not exists guard_accounts (id text primary key, suspended integer not null default 0) strict, without rowid;
  create table if not exists guard_keys (
    hash text primary key,
    id text not null unique,
    account_id text not null references guard_accounts (id) on delete cascade,
    state text not null default 'enabled' check (state in ('enabled', 'disabled', 'revoked')),
    expires_at_ms integer,
    services text
  ) strict, without rowid;
  create table if not exists guard_subscriptions (
    id text primary key,
    account_id text not null references guard_accounts (id) on delete cascade,
    service text not null,
    state text not null check (state in ('active', 'requested', 'unpaid')),
    plan text not null,
    full_at_us integer not null default 0,
    unique (account_id, service)
  ) strict, without rowid;
  create table if not exists guard_months (
    subscription_id text not null references guard_subscriptions (id) on delete cascade,
    month text not null,
    calls integer not null,
    primary key (subscription_id, month)
  ) strict, without rowid;
`;

const US_PER_MS = 1000;
const US_PER_SECOND = 1_000_000;

interface KeyRow {
  readonly id: string;
  readonly account_id: string;
  readonly state: KeyRecord["state"];
  readonly expires_at_ms: number | null;
  readonly services: string | null;
  readonly suspended: number;
  readonly subscriptions: string;
}

/** What may be said about a new key. */
export interface NewKey {
  /** The services that it may call; all by default. */
  readonly services?: readonly string[];
  /** When it expires, in milliseconds since the epoch; never by default. */
  readonly expiresAtMs?: number;
}

export class SqliteStore implements GuardStore {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /**
   * Creates the tables, named `guard_…`, if they are missing, and switches the file to write-ahead logging, and the connection to
   * `synchronous = normal`: all processes would wait for each flush to the disk.
   */
  constructor(db: DatabaseSync) {
    this.#db = db;
    db.exec(TABLES);
  }

  /** Stores a new key of an account, which is created if it does not exist. Returns the key's id. */
  addKey(accountId: string, { hash }: Pick<GeneratedKey, "hash">, { services, expiresAtMs }: NewKey = {}): string {
    const id = randomUUID();
    this.#addAccount(accountId);
    this.#prepare("insert into guard_keys (hash, id, account_id, expires_at_ms, services) values (?, ?, ?, ?, ?)").run(
      hash,
      id,
      accountId,
      expiresAtMs ?? null,
      services === undefined ? null : JSON.stringify(services),
    );
    return id;
  }

  /** Enables, disables or revokes a key, from the next call on. Returns whether there is one with this id. */
  setKeyState(keyId: string, state: KeyRecord["state"]): boolean {
    return this.#prepare("update guard_keys set state = ? where id = ? and state <> 'revoked'").run(state, keyId).changes === 1;
  }

  /** Suspends an account, or ends that, from the next call on. */
  suspend(accountId: string, isSuspended: boolean): void {
    this.#addAccount(accountId);
    this.#prepare("update guard_accounts set suspended = ? where id = ?").run(isSuspended ? 1 : 0, accountId);
  }

  /**
   * Gives an account a plan for a service, in place of its plan so far; the month's count goes on. Throws a RangeError if a limit of the
   * plan makes no sense.
   */
  subscribe(accountId: string, service: string, plan: Plan, state: Subscription["state"] = "active"): void {
    if (!(plan.requestsPerSecond > 0 && plan.requestsPerSecond <= US_PER_SECOND)) {
      throw new RangeError(`requestsPerSecond must be above 0 and at most ${US_PER_SECOND}, not ${plan.requestsPerSecond}`);
    }
    if (!Number.isSafeInteger(plan.callsPerMonth) || plan.callsPerMonth < 0) {
      throw new RangeError(`callsPerMonth must be a whole number of at least 0, not ${plan.callsPerMonth}`);
    }
    this.#addAccount(accountId);
    this.#prepare(`insert into guard_subscriptions (id, account_id, service, state, plan) values (?, ?, ?, ?, ?)
      on conflict (account_id, service) do update set state = excluded.state, plan = excluded.plan`).run(
      randomUUID(),
      accountId,
      service,
      state,
      JSON.stringify({ name: plan.name, requestsPerSecond: plan.requestsPerSecond, callsPerMonth: plan.callsPerMonth }),
    );
  }

  /** How many calls of a month, such as `2026-11`, are charged to an account for a service. */
  callsOf(accountId: string, service: string, month: string): number {
    const row = this.#prepare(`select calls from guard_months join guard_subscriptions on id = subscription_id
      where account_id = ? and service = ? and month = ?`).get(accountId, service, month) as { calls: number } | undefined;
    return row?.calls ?? 0;
  }

  findKey(hash: string): KeyRecord | undefined {
    const row = this.#prepare(`select k.id, k.account_id, k.state, k.expires_at_ms, k.services, a.suspended,
        (select json_group_array(json_object('id', s.id, 'service', s.service, 'state', s.state, 'plan', json(s.plan)))
          from guard_subscriptions as s where s.account_id = k.account_id) as subscriptions
      from guard_keys as k join guard_accounts as a on a.id = k.account_id where k.hash = ?`).get(hash) as KeyRow | undefined;
    return (
      row && {
        id: row.id,
        accountId: row.account_id,
        state: row.state,
        expiresAtMs: row.expires_at_ms ?? Number.POSITIVE_INFINITY,
        services: row.services === null ? null : JSON.parse(row.services),
        isSuspended: row.suspended === 1,
        subscriptions: JSON.parse(row.subscriptions),
      }
    );
  }

  charge({ subscriptionId, plan, month, cost, nowMs }: Charge): Charged {
    const size = bucketSize(plan.requestsPerSecond, US_PER_SECOND);
    const now = nowMs * US_PER_MS;
    return this.#transaction(() => {
      const row =
        this.#prepare(`select full_at_us, coalesce((select calls from guard_months where subscription_id = id and month = ?), 0)
        as calls from guard_subscriptions where id = ?`).get(month, subscriptionId) as
          | { full_at_us: number; calls: number }
          | undefined;
      if (row === undefined) {
        throw new Error(`There is no subscription with the ID ${subscriptionId}.`);
      }
      // After the clock was set back, or the rate was raised, the bucket is empty at most.
      const ahead = Math.min(aheadAt(row.full_at_us, now), size.capacity);
      const after = takeTokens(ahead, 1, size);
      const left = Math.max(0, plan.callsPerMonth - row.calls);
      const refusedBy = after === REFUSED ? "second" : left < cost ? "month" : undefined;
      const fullAtUs = now + (refusedBy === undefined ? after : ahead);
      if (refusedBy === undefined || fullAtUs < row.full_at_us) {
        this.#prepare("update guard_subscriptions set full_at_us = ? where id = ?").run(fullAtUs, subscriptionId);
      }
      if (refusedBy !== undefined) {
        return { refusedBy, ...secondOf(ahead, size), monthRemaining: left };
      }
      this.#prepare(`insert into guard_months (subscription_id, month, calls) values (?, ?, ?)
        on conflict (subscription_id, month) do update set calls = calls + excluded.calls`).run(subscriptionId, month, cost);
      return { ...secondOf(after, size), monthRemaining: left - cost };
    });
  }

  refund({ subscriptionId, month, cost }: Pick<Charge, "subscriptionId" | "month" | "cost">): void {
    this.#prepare("update guard_months set calls = max(0, calls - ?) where subscription_id = ? and month = ?").run(
      cost,
      subscriptionId,
      month,
    );
  }

  #addAccount(id: string): void {
    this.#prepare("insert into guard_accounts (id) values (?) on conflict do nothing").run(id);
  }

  // Takes the write lock first: two processes that have both read could not both write.
  #transaction<Result>(work: () => Result): Result {
    this.#prepare("begin immediate").run();
    try {
      const result = work();
      this.#prepare("commit").run();
      return result;
    } catch (error) {
      if (this.#db.isTransaction) {
        this.#prepare("rollback").run();
      }
      throw error;
    }
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

const secondOf = (ahead: number, size: BucketSize): Pick<Charged, "secondRemaining" | "nextMs"> => ({
  secondRemaining: tokensLeft(ahead, size),
  nextMs: untilNextToken(ahead, size) / US_PER_MS,
});
