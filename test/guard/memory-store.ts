// An in-memory GuardStore whose failures a test controls. It replaces the SQL store at its interface, with the same guarantees.

import type { Month } from "../../src/runtime/calendar.ts";
import type { OnChange } from "../../src/store/changes.ts";
import { NodeStatus } from "../../src/store/node-status.ts";
import type { Credential, LeaseGrant, LeaseSubject, Subscription } from "../../src/store/records.ts";
import type { GuardStore } from "../../src/store/store.ts";
import { StoreUnavailable } from "../../src/store/store-errors.ts";
import type { BatchId, RefusalCount, UsageCount } from "../../src/store/usage-records.ts";

/** `down`: rejects without a change. `lost`: makes the change, but loses the response. `silent`: does not respond until released. */
export type StoreFault = "none" | "down" | "lost" | "silent";

/** The store. */
export class MemoryStore implements GuardStore {
  readonly nodeStatus = new NodeStatus();
  fault: StoreFault = "none";
  /** The queries, in order: the method, and for leases how many calls. */
  readonly requested: string[] = [];
  readonly credentials = new Map<string, Credential>();
  /** Leased calls, by the first subscription of an account and service or the cap of a key (`cap key-1`), and by month. */
  readonly leased = new Map<string, number>();
  /** A later subscription of the same account and service → the first one. */
  readonly firstOf = new Map<string, string>();
  readonly usage: UsageCount[] = [];
  /** The batches of usage that were tried. */
  readonly batches: BatchId[] = [];
  readonly refusals: RefusalCount[] = [];
  /** The busiest first. */
  readonly busiest: Pick<Subscription, "id" | "accountId" | "terms">[] = [];
  readonly #listeners = new Set<OnChange>();
  #silent = Promise.withResolvers<void>();

  findCredential(keyHash: string): Promise<Credential | undefined> {
    return this.#result("findCredential", () => this.credentials.get(keyHash));
  }

  lease(subject: LeaseSubject, month: Month, callsPerMonth: number, want: number): Promise<LeaseGrant> {
    return this.#result(`lease ${month} ${want}`, () => {
      const name = this.#nameOf(subject, month);
      const leased = this.leased.get(name) ?? 0;
      const left = Math.max(0, callsPerMonth - leased);
      const granted = Math.min(want, left);
      this.leased.set(name, leased + granted);
      return { granted, unleased: left - granted };
    });
  }

  returnCalls(subject: LeaseSubject, month: Month, calls: number): Promise<void> {
    return this.#result(`returnCalls ${month} ${calls}`, () => {
      const name = this.#nameOf(subject, month);
      this.leased.set(name, Math.max(0, (this.leased.get(name) ?? 0) - calls));
    });
  }

  #nameOf(subject: LeaseSubject, month: Month): string {
    return `${typeof subject === "string" ? (this.firstOf.get(subject) ?? subject) : `cap ${subject.capId}`} ${month}`;
  }

  addUsage(counts: readonly UsageCount[], id: BatchId): Promise<void> {
    this.batches.push(id);
    return this.#result(`addUsage ${counts.length}`, () => {
      this.usage.push(...counts.map((count) => ({ ...count })));
    });
  }

  addRefusals(counts: readonly RefusalCount[]): Promise<void> {
    return this.#result(`addRefusals ${counts.length}`, () => {
      this.refusals.push(...counts.map((count) => ({ ...count })));
    });
  }

  async busiestSubscriptions(month: Month, limit: number): Promise<MemoryStore["busiest"]> {
    return this.#result(`busiestSubscriptions ${month} ${limit}`, () => this.busiest.slice(0, limit));
  }

  onChange(callback: OnChange): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  /** Notifies the listeners that an account has changed, or that any may have. */
  announce(accountId?: string): void {
    for (const listener of this.#listeners) {
      listener(accountId);
    }
  }

  /** Responds to the pending queries of a silent store. */
  release(): void {
    this.fault = "none";
    this.#silent.resolve();
    this.#silent = Promise.withResolvers();
  }

  async #result<Result>(question: string, work: () => Result): Promise<Result> {
    this.requested.push(question);
    if (this.fault === "down") {
      throw new StoreUnavailable("The store is down.");
    }
    const lost = this.fault === "lost";
    const result = work();
    if (this.fault === "silent") {
      await this.#silent.promise;
    }
    if (lost) {
      throw new StoreUnavailable("The response was lost.");
    }
    return result;
  }
}
