// Counts refused calls whose key is known, by account, key, service, hour and reason. Calls with keys that nobody owns are not counted: they
// are nobody's. However many calls are refused, what is kept and written is one count for each kind of them.
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { RefusalCount } from "../store/records.ts";
import type { GuardStore } from "../store/store.ts";
import { BatchedCounts } from "./batched-counts.ts";
import type { Refused } from "./guard.ts";
import type { CallerIdentity } from "./keys/access.ts";

type Count = RefusalCount & { calls: number; rateNeeded: number };

/** Where a caller's last refusal was counted. */
interface LastCount {
  readonly generation: object;
  readonly count: Count;
}

/** Counts refusals. */
export class RefusalCounter {
  readonly #counts: BatchedCounts<Count>;
  // Who is refused is mostly refused again for the same reason: no name has to be built then.
  readonly #last = new WeakMap<CallerIdentity, LastCount>();

  /** `countsMax`: how many different counts are kept in memory. */
  constructor(store: Pick<GuardStore, "addRefusals">, clock: Clock, log: Log, countsMax: number) {
    this.#counts = new BatchedCounts({
      what: "refusals",
      write: (counts) => store.addRefusals(counts),
      merge,
      clock,
      log,
      countsMax,
    });
  }

  /** Counts one refusal of a call to a service on a day, UTC, `2026-11-21`, in an hour of it, from 0 to 23. */
  count({ problem, identity, rateNeeded = 0 }: Refused, service: ServiceName, day: string, hour: number): void {
    if (identity === undefined) {
      return;
    }
    const { reason } = problem;
    const { generation } = this.#counts;
    const last = this.#last.get(identity);
    if (last?.generation === generation && isOf(last.count, service, reason, day, hour)) {
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

  /** Writes what there is, once, and waits for it for at most `waitMs`. What is counted after that is lost. Never rejects. */
  close(waitMs: number): Promise<void> {
    return this.#counts.close(waitMs);
  }
}

const isOf = (count: Count, service: ServiceName, reason: string, day: string, hour: number): boolean =>
  count.service === service && count.reason === reason && count.hour === hour && count.day === day;

function merge(into: Count, { calls, rateNeeded }: Count): void {
  into.calls += calls;
  into.rateNeeded = Math.max(into.rateNeeded, rateNeeded);
}
