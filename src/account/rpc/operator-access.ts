// What operators' handlers share: an operator's rate of changes, and the accounts and subscriptions that a request names.

import { type RateLimit, Throttle } from "@quintet/guard";
import { Failure, throwIfLimited } from "../../problem/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Account, Subscription } from "../../store/records.ts";
import type { AdminStore } from "../../store/store.ts";
import { tooManyOperatorChanges } from "../refusals.ts";
import type { SignedIn } from "./handlers.ts";

const CHANGES_PER_OPERATOR: RateLimit = { burst: 30, everyMs: 1000 };

/** Gives operators' handlers access to the store. */
export interface OperatorAccess {
  /** The store in the operator's name, for a change. Throws a Failure if they change things too fast. */
  readonly storeForChange: (who: SignedIn) => AdminStore;
  /** Reject with a Failure if nothing has this id. */
  readonly requireAccount: (id: string) => Promise<Account>;
  readonly requireSubscription: (id: string) => Promise<Subscription>;
}

export function createOperatorAccess({ store, clock }: { readonly store: AdminStore; readonly clock: Clock }): OperatorAccess {
  const changes = new Throttle(clock, CHANGES_PER_OPERATOR);
  const requireFound = <Found>(what: string, id: string, found: Found | undefined): Found => {
    if (found === undefined) {
      throw new Failure({ reason: "NOT_FOUND", message: `There is no ${what} with the ID ${id}.` });
    }
    return found;
  };
  return {
    storeForChange({ accountId, peer }) {
      throwIfLimited(changes.take(accountId), tooManyOperatorChanges);
      return store.by({ kind: "signed_in_operator", name: accountId, origin: peer });
    },
    requireAccount: async (id) => requireFound("account", id, await store.findAccount(id)),
    requireSubscription: async (id) => requireFound("subscription", id, await store.findSubscriptionById(id)),
  };
}
