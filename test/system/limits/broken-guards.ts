// Two ways in which a guard goes wrong that nobody notices on a quiet day, each wrapped around the real one: the checker is held to find both.
import { DatabaseSync } from "node:sqlite";
import type { AdmissionRequest, Admitted, Guard, Refused } from "../../../src/guard/guard.ts";
import type { GuardStore } from "../../../src/store/store.ts";
import { settledBy } from "../../guard/settled-by.ts";

/** Counts a call when it has been answered: what is under way meanwhile is not counted yet. */
export function countAfterTheAnswer(guard: Guard): Guard {
  const standing = new Map<string, Admitted>();
  const charge = async (
    admissionRequest: AdmissionRequest,
    outcome?: Parameters<Admitted["settle"]>[0],
  ): Promise<Admitted | Refused> => {
    const decision = await guard.admit(admissionRequest);
    if (decision.admitted && outcome !== undefined) {
      decision.settle(outcome);
    }
    const name = `${admissionRequest.key} ${admissionRequest.service}`;
    if (decision.admitted && decision.limits !== undefined && decision.limits.monthRemaining > 0) {
      standing.set(name, decision);
    } else if (!decision.admitted) {
      standing.delete(name);
    }
    return decision;
  };
  return {
    admit(admissionRequest): ReturnType<Guard["admit"]> {
      const last = standing.get(`${admissionRequest.key} ${admissionRequest.service}`);
      return last === undefined
        ? charge(admissionRequest)
        : settledBy(last, (outcome) => {
            void charge(admissionRequest, outcome);
          });
    },
  };
}

/** Leases by reading what is taken, and writing what is taken then, with a moment in between. `file` is the embedded database. */
export function leaseWithoutTransaction(store: GuardStore, file: string): GuardStore {
  const database = new DatabaseSync(file, { timeout: 1000 });
  const owner = "FROM subscriptions WHERE subscriptions.id = ?";
  const row = `account_id = (SELECT account_id ${owner}) AND service = (SELECT service ${owner}) AND month = ?`;
  const read = database.prepare(`SELECT leased FROM month_leases WHERE ${row}`);
  const write = database.prepare(`UPDATE month_leases SET leased = ? WHERE ${row}`);
  return {
    nodeStatus: store.nodeStatus,
    findCredential: (keyHash) => store.findCredential(keyHash),
    giveBack: (id, month, calls) => store.giveBack(id, month, calls),
    addUsage: (counts) => store.addUsage(counts),
    busiestSubscriptions: (month, limit) => store.busiestSubscriptions(month, limit),
    onChange: (callback) => store.onChange(callback),
    async lease(id, month, callsPerMonth, want) {
      const before = read.get(id, id, month);
      if (before === undefined) {
        return store.lease(id, month, callsPerMonth, want);
      }
      await new Promise(setImmediate);
      const leased = Number(before.leased);
      const granted = Math.min(want, Math.max(0, callsPerMonth - leased));
      write.run(leased + granted, id, id, month);
      return { granted, unleased: callsPerMonth - leased - granted };
    },
  };
}
