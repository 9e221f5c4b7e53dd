// How a worker gets what the main thread owns: keys, leases, accounts. A worker in the main thread calls it directly; a worker in its own
// thread requests it with messages (remote-sources.ts).
import type { AccountRpc } from "../account/rpc/account-rpc.ts";
import type { CallBatch } from "../account/watch/call-record.ts";
import type { WatchedAccounts } from "../account/watch/watched-accounts.ts";
import type { ReceivePaymentEvent } from "../gateway/payment-endpoint.ts";
import type { ThreadGuardOptions } from "../guard/thread-guard.ts";
import type { LoggedCall } from "../store/usage-records.ts";
import type { WorkersOptions } from "./workers.ts";

/** What the main thread owns, as one worker uses it. */
export interface WorkerSources
  extends Pick<ThreadGuardOptions, "store" | "leases" | "breaker" | "calendar" | "epoch" | "slots" | "nodeStatus" | "limits"> {
  readonly accountRpc: AccountRpc;
  readonly callWatch: CallWatch;
  readonly receivePaymentEvent: ReceivePaymentEvent | undefined;
}

/** Which calls a worker records. */
export interface CallWatch {
  readonly watched: WatchedAccounts;
  /** Receives the calls that the worker has recorded for watchers. */
  readonly passOn: (batches: readonly CallBatch[]) => void;
  /** Receives the calls that the worker has recorded for the call log. */
  readonly logCalls: (calls: readonly LoggedCall[]) => void;
}

/** The sources of a worker in the main thread. */
export function localSources({
  store,
  leaseOwner,
  limits,
  accountRpc,
  callFeed,
  callLog,
  receivePaymentEvent,
}: WorkersOptions): WorkerSources {
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
    receivePaymentEvent,
    callWatch: { watched: callFeed.accounts, passOn: (batches) => callFeed.add(batches), logCalls: (calls) => callLog.add(calls) },
  };
}
