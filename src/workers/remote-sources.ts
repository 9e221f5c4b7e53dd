// The sources of a worker in its own thread: shared memory for what each call reads, messages to the main thread for the rest.

import { fromBinary } from "@bufbuild/protobuf";
import { accountMethodOf } from "../account/account-methods.ts";
import type { AccountRpc } from "../account/rpc/account-rpc.ts";
import { WatchedAccounts } from "../account/watch/watched-accounts.ts";
import { StoreBreaker } from "../guard/breaker/store-breaker.ts";
import { guardLimitsOf } from "../guard/guard-limits.ts";
import { accountOf } from "../guard/keys/access.ts";
import { CallsInFlight, Epoch } from "../guard/memory/slots.ts";
import type { MonthLease, MonthLeases } from "../guard/quota/month-lease.ts";
import { RefillRound } from "../guard/quota/refill-round.ts";
import { Calendar } from "../runtime/calendar.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { LruMap } from "../runtime/lru-map.ts";
import { NodeStatus } from "../store/node-status.ts";
import type { LeaseSubject, PlanTerms } from "../store/records.ts";
import { encodedCall } from "./account-messages.ts";
import type { MainThreadClient } from "./main-thread-client.ts";
import type { LeaseClaim, WorkerThreadData } from "./messages.ts";
import { RemoteLease, type RemoteLeaseOptions } from "./remote-lease.ts";
import type { WorkerSources } from "./worker-sources.ts";

/** The leases of a worker thread. */
export class RemoteLeases implements MonthLeases {
  readonly #options: RemoteLeaseOptions;
  readonly #leases: LruMap<string, RemoteLease>;
  readonly #flights = new Map<string, Promise<RemoteLease | undefined>>();

  /** `leasesMax`: how many leases are kept. */
  constructor(options: RemoteLeaseOptions, leasesMax: number) {
    this.#options = options;
    this.#leases = new LruMap(leasesMax);
  }

  of(key: string, subject: LeaseSubject, terms: PlanTerms, epoch: number): MonthLease | Promise<MonthLease | undefined> {
    const found = this.#leases.get(key);
    if (found?.isOf(subject, terms)) {
      return found;
    }
    const { callsPerMonth, requestsPerSecond } = terms;
    const claim: LeaseClaim = { key, subject, terms: { callsPerMonth, requestsPerSecond }, epoch };
    const id = typeof subject === "string" ? subject : subject.capId;
    const name = `${key} ${id} ${callsPerMonth} ${requestsPerSecond} ${epoch}`;
    const flight = this.#flights.get(name) ?? this.#find(claim).finally(() => this.#flights.delete(name));
    this.#flights.set(name, flight);
    return flight;
  }

  async #find(claim: LeaseClaim): Promise<RemoteLease | undefined> {
    // If this fails, the main thread has logged why.
    const slot = await this.#options.mainThread.request({ kind: "leaseSlot", input: claim }).catch(() => undefined);
    if (slot === undefined) {
      return undefined;
    }
    const lease = new RemoteLease(this.#options, slot, claim);
    // If the account has changed in the meantime, the position may belong to the previous plan. Then it is valid for this call only.
    if (claim.epoch === this.#options.epoch.of(accountOf(claim.key))) {
      this.#leases.set(claim.key, lease);
    }
    return lease;
  }
}

// The main thread knows whether the store responds, and replies immediately, so another request costs little.
const PROBE_INTERVAL_MS = 100;

interface RemoteSourcesOptions {
  readonly mainThread: MainThreadClient;
  readonly data: WorkerThreadData;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts when the thread is about to die, before it cuts its callers off. */
  readonly endSignal: AbortSignal;
}

export function createRemoteSources({ mainThread, data, clock, log, endSignal }: RemoteSourcesOptions): WorkerSources {
  const { thread, threads, memory, config, nodeStatus } = data;
  // The main thread finds out whether the database is silent or slow.
  const limits = {
    ...guardLimitsOf(config),
    probeIntervalMs: PROBE_INTERVAL_MS,
    storeSilenceMs: Number.POSITIVE_INFINITY,
    storeSlowMs: Number.POSITIVE_INFINITY,
  };
  const calendar = new Calendar(clock);
  const epoch = new Epoch(memory.epoch);
  const inFlight = new CallsInFlight(threads, limits.subscriptionsMax, memory.inFlight);
  const refills = new RefillRound<string>(clock, (keys) => mainThread.send({ kind: "refill", keys }));
  const options = { mainThread, thread, words: memory.slots, inFlight, epoch, calendar, clock, refills, endSignal };
  return {
    store: {
      findCredential: (keyHash) => mainThread.request({ kind: "credential", input: keyHash }),
      addUsage: (counts, id) => mainThread.request({ kind: "usage", input: { counts, id } }),
      addRefusals: (counts, id) => mainThread.request({ kind: "refusals", input: { counts, id } }),
    },
    leases: new RemoteLeases(options, 2 * limits.subscriptionsMax),
    breaker: new StoreBreaker(clock, log, limits),
    calendar,
    epoch,
    slots: memory.slots,
    nodeStatus: new NodeStatus(nodeStatus),
    limits,
    accountRpc: createAccountRpcProxy(mainThread),
    callWatch: {
      watched: new WatchedAccounts(data.watchedAccounts),
      passOn: (batches) => mainThread.send({ kind: "calls", batches }),
      logCalls: (calls) => mainThread.send({ kind: "loggedCalls", calls }),
    },
  };
}

/** The worker's side: an account RPC that forwards calls to the main thread. */
export function createAccountRpcProxy(mainThread: Pick<MainThreadClient, "request" | "send">): AccountRpc {
  return {
    admit: (method, caller) => mainThread.request({ kind: "accountAdmission", input: { method, caller } }),
    async call(call) {
      const output = await mainThread.request({ kind: "accountCall", input: encodedCall(call) });
      return fromBinary(accountMethodOf(call.method).desc.output, output);
    },
    async *stream(call, signal) {
      const { output } = accountMethodOf(call.method).desc;
      const stream = await mainThread.request({ kind: "accountStream", input: encodedCall(call) });
      const end = (): void => mainThread.send({ kind: "endAccountStream", stream });
      if (signal.aborted) {
        end();
        return;
      }
      // The main thread then ends the stream, which also resolves the request for its next message.
      signal.addEventListener("abort", end, { once: true });
      try {
        while (true) {
          const message = await mainThread.request({ kind: "accountStreamNext", input: stream });
          if (message === undefined) {
            return;
          }
          yield fromBinary(output, message);
        }
      } finally {
        signal.removeEventListener("abort", end);
        end();
      }
    },
  };
}
