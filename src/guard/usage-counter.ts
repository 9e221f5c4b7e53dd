// The usage history: every admitted call is counted by account, key, service, method, hour and outcome.
import type { UsageCount } from "../store/usage-records.ts";
import { BatchedCounts, type CounterOptions } from "./batched-counts.ts";
import type { Principal } from "./keys/access.ts";

type Count = UsageCount & { calls: number };

/** Where a principal's last call was counted. */
interface LastCount {
  readonly generation: object;
  readonly count: Count;
}

export class UsageCounter {
  readonly #counts: BatchedCounts<Count>;
  // Most calls belong to the same count as their caller's last call, so the count's name need not be built for them.
  readonly #last = new WeakMap<Principal, LastCount>();

  constructor({ store, ...options }: CounterOptions<"addUsage">) {
    this.#counts = new BatchedCounts({
      ...options,
      what: "usage",
      write: (counts, id) => store.addUsage(counts, id),
      merge: (into, { calls }) => {
        into.calls += calls;
      },
    });
  }

  /**
   * Counts one admitted call on a day in UTC, such as `2026-11-21`, and in an hour of it, from 0 to 23. With 0 `calls` it only records that
   * the key was used.
   */
  count(principal: Principal, method: string, day: string, hour: number, outcome: string, calls: 0 | 1 = 1): void {
    const { generation } = this.#counts;
    const last = this.#last.get(principal);
    if (last?.generation === generation && isSame(last.count, method, day, hour, outcome)) {
      last.count.calls += calls;
      return;
    }
    const { accountId, keyId, service } = principal;
    const name = `${keyId} ${service} ${method} ${day} ${hour} ${outcome}`;
    const count = this.#counts.add(name, { accountId, keyId, service, method, day, hour, outcome, calls });
    if (count !== undefined) {
      this.#last.set(principal, { generation, count });
    }
  }

  /** Writes the counts once, and waits at most `waitMs` for that. Calls that are counted later are lost. Never rejects. */
  close(waitMs: number): Promise<void> {
    return this.#counts.close(waitMs);
  }
}

const isSame = (count: Count, method: string, day: string, hour: number, outcome: string): boolean =>
  count.method === method && count.hour === hour && count.day === day && count.outcome === outcome;
