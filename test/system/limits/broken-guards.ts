// Two ways in which a guard can be wrong without anybody noticing on a quiet day, each wrapped around the real guard. The checker must
// detect both.
import { DatabaseSync } from "node:sqlite";
import type { AdmissionRequest, Admitted, Guard, Refused } from "../../../src/guard/guard.ts";
import type { GuardStore } from "../../../src/store/store.ts";
import { settledBy } from "../../guard/settled-by.ts";

/** Counts a call only after its response: calls in progress are not counted yet. */
export function countAfterResponse(guard: Guard): Guard {
  const lastAdmitted = new Map<string, Admitted>();
  const charge = async (request: AdmissionRequest, outcome?: Parameters<Admitted["settle"]>[0]): Promise<Admitted | Refused> => {
    const decision = await guard.admit(request);
    if (decision.admitted && outcome !== undefined) {
      decision.settle(outcome);
    }
    const name = `${request.key} ${request.service}`;
    if (decision.admitted && decision.limits !== undefined && decision.limits.monthRemaining > 0) {
      lastAdmitted.set(name, decision);
    } else if (!decision.admitted) {
      lastAdmitted.delete(name);
    }
    return decision;
  };
  return {
    admit(request): ReturnType<Guard["admit"]> {
      const last = lastAdmitted.get(`${request.key} ${request.service}`);
      return last === undefined
        ? charge(request)
        : settledBy(last, (outcome) => {
            void charge(request, outcome);
          });
    },
  };
}

/** Leases by reading the count and writing the new one, with a pause in between. `file` is the embedded database. */
export function leaseWithoutTransaction(store: GuardStore, file: string): GuardStore {
  const database = new DatabaseSync(file, { timeout: 1000 });
  const owner = "FROM subscriptions WHERE subscriptions.id = ?";
  const row = `account_id = (SELECT account_id ${owner}) AND service = (SELECT service ${owner}) AND month = ?`;
  const read = database.prepare(`SELECT leased FROM month_leases WHERE ${row}`);
  const write = database.prepare(`UPDATE month_leases SET leased = ? WHERE ${row}`);
  return {
    nodeStatus: store.nodeStatus,
    findCredential: (keyHash) => store.findCredential(keyHash),
    returnCalls: (id, month, calls) => store.returnCalls(id, month, calls),
    addUsage: (counts, id) => store.addUsage(counts, id),
    addRefusals: (counts, id) => store.addRefusals(counts, id),
    busiestSubscriptions: (month, limit) => store.busiestSubscriptions(month, limit),
    onChange: (callback) => store.onChange(callback),
    async lease(subject, month, callsPerMonth, want) {
      const id = String(subject);
      const before = read.get(id, id, month);
      if (before === undefined) {
        return store.lease(subject, month, callsPerMonth, want);
      }
      await new Promise(setImmediate);
      const leased = Number(before.leased);
      const granted = Math.min(want, Math.max(0, callsPerMonth - leased));
      write.run(leased + granted, id, id, month);
      return { granted, unleased: callsPerMonth - leased - granted };
    },
  };
}
