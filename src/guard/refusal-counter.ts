// Counts refused calls whose key is known, by account, key, service, hour and reason. Calls with unknown keys belong to no account and are
// not counted. However many calls are refused, only one count for each combination of these is kept and written.
import type { ServiceName } from "../catalogue/service-names.ts";
import type { RefusalCount } from "../store/usage-records.ts";
import { BatchedCounts, type CounterOptions } from "./batched-counts.ts";
import type { Refused } from "./guard.ts";
import type { CallerIdentity } from "./keys/access.ts";

type Count = RefusalCount & { calls: number; rateNeeded: number };

/** Where a caller's last refusal was counted. */
interface LastCount {
  readonly generation: object;
  readonly count: Count;
}

export class RefusalCounter {
  readonly #counts: BatchedCounts<Count>;
  // A refused caller is usually refused again for the same reason. Then the count's name need not be built again.
  readonly #last = new WeakMap<CallerIdentity, LastCount>();

  constructor({ store, ...options }: CounterOptions<"addRefusals">) {
    this.#counts = new BatchedCounts({
      ...options,
      what: "refusals",
      write: (counts, id) => store.addRefusals(counts, id),
      merge,
    });
  }

  /** Counts one refused call to a service on a day in UTC, such as `2026-11-21`, and in an hour of it, from 0 to 23. */
  count({ problem, identity, rateNeeded = 0 }: Refused, service: ServiceName, day: string, hour: number): void {
    if (identity === undefined) {
      return;
    }
    const { reason } = problem;
    const { generation } = this.#counts;
    const last = this.#last.get(identity);
    if (last?.generation === generation && isSame(last.count, service, reason, day, hour)) {
      last.count.calls++;
      last.count.rateNeeded = Math.max(last.count.rateNeeded, rateNeeded);
      return;
    }
    const { accountId, keyId } = identity;
    const name = `${keyId} ${service} ${day} ${hour} ${reason}`;
    const count = this.#counts.add(name, { accountId, keyId, service, day, hour, reason, calls: 1, rateNeeded });
    if (count !== undefined) {
      this.#last.set(identity, { generation, count });
    }
  }

  /** Writes the counts once, and waits at most `waitMs` for that. Calls that are counted later are lost. Never rejects. */
  close(waitMs: number): Promise<void> {
    return this.#counts.close(waitMs);
  }
}

const isSame = (count: Count, service: ServiceName, reason: string, day: string, hour: number): boolean =>
  count.service === service && count.reason === reason && count.hour === hour && count.day === day;

function merge(into: Count, { calls, rateNeeded }: Count): void {
  into.calls += calls;
  into.rateNeeded = Math.max(into.rateNeeded, rateNeeded);
}
