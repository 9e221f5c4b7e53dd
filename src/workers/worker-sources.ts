// Where a worker gets what the main thread owns: keys, leases, accounts. A worker in the main thread calls it directly; a worker in a thread of
// its own asks for it with messages (remote-sources.ts).
import type { AccountRpc } from "../account/rpc/account-rpc.ts";
import type { ThreadGuardOptions } from "../guard/thread-guard.ts";
import type { WorkersOptions } from "./workers.ts";

/** What the main thread owns, as one worker uses it. */
export interface WorkerSources
  extends Pick<ThreadGuardOptions, "store" | "leases" | "breaker" | "calendar" | "epoch" | "slots" | "nodeStatus" | "limits"> {
  readonly accountRpc: AccountRpc;
}

/** The sources of a worker in the main thread. */
export function localSources({ store, leaseOwner, limits, accountRpc }: WorkersOptions): WorkerSources {
  const { allowances, breaker, calendar, epoch, memory } = leaseOwner;
  return {
    store,
    leases: allowances,
    breaker,
    calendar,
    epoch,
    slots: memory.slots,
    nodeStatus: store.nodeStatus,
    limits,
    accountRpc,
  };
}
