// The sources of a worker in its own thread: shared memory for what each call reads, messages to the main thread for the rest.
import { fromBinary } from "@bufbuild/protobuf";
import { LruMap } from "@quintet/guard";
import { accountMethodOf } from "../account/account-methods.ts";
import type { AccountRpc } from "../account/rpc/account-rpc.ts";
import { WatchedAccounts } from "../account/watch/watched-accounts.ts";
import { StoreBreaker } from "../guard/breaker/store-breaker.ts";
import { guardLimitsOf } from "../guard/guard-limits.ts";
import { accountOf } from "../guard/keys/access.ts";
import { CallsInFlight, Epoch, type SlotWords } from "../guard/memory/slots.ts";
import { leaseMax } from "../guard/quota/lease-size.ts";
import type { LaterSpent, MonthLease, MonthLeases, Spent } from "../guard/quota/month-lease.ts";
import { RefillRound } from "../guard/quota/refill-round.ts";
import { isSameMonth, SlotLease } from "../guard/quota/slot-lease.ts";
import { Calendar, type Day } from "../runtime/calendar.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { NodeStatus } from "../store/node-status.ts";
import type { LeaseSubject, PlanTerms } from "../store/records.ts";
import { encodedCall } from "./account-messages.ts";
import type { MainThreadClient } from "./main-thread-client.ts";
import type { LeaseClaim, LeaseSlot, WorkerThreadData } from "./messages.ts";
import type { WorkerSources } from "./worker-sources.ts";

// A subscription's monthly quota as a worker thread sees it. The worker spends and refunds in shared memory directly, and tells the main
// thread when the lease needs a refill. A lease belongs to one subscription, one plan and one generation of its slot. When any of them
// changes there is a new lease; calls that were charged under the old one can still be refunded.
interface RemoteLeaseOptions {
  readonly mainThread: MainThreadClient;
  readonly thread: number;
  readonly words: SlotWords;
  readonly inFlight: CallsInFlight;
  readonly epoch: Epoch;
  readonly calendar: Calendar;
  readonly clock: Clock;
  /** The leases that are running low, by name. */
  readonly refills: RefillRound<string>;
  /** Aborts when the thread is about to die, before it disconnects its callers. */
  readonly endSignal: AbortSignal;
}

class RemoteLease implements MonthLease {
  readonly name: string;
  readonly slot: number;
  readonly #options: RemoteLeaseOptions;
  readonly #held: SlotLease;
  // The cell of `epoch` that counts changes to the account.
  readonly #cell: number;
  // Its `epoch` is one at which the plan is known to have been active. The claim is not updated when the account changes.
  readonly #claim: LeaseClaim;

  constructor(options: RemoteLeaseOptions, place: LeaseSlot, claim: LeaseClaim) {
    this.name = claim.key;
    this.slot = place.slot;
    this.#options = options;
    this.#held = new SlotLease(options.words, place.slot, place.generation);
    this.#cell = options.epoch.cellOf(accountOf(claim.key));
    this.#claim = claim;
  }

  /** Whether this is still the lease of the subject on these terms. */
  isOf(subject: LeaseSubject, terms: PlanTerms): boolean {
    return isSameMonth(this.#claim, subject, terms) && this.#held.isCurrent;
  }

  spend(day: Day): Spent | undefined {
    const spent = this.#held.spend(day);
    if (spent !== undefined && this.#held.isLow(spent)) {
      this.#requestRefill(this.#held.isAlmostSpent(spent.left));
    }
    return spent;
  }

  async spendLater(): Promise<LaterSpent> {
    try {
      return await this.#options.mainThread.request({ kind: "spend", input: this.#claim });
    } catch {
      // The main thread has logged why.
      return "unavailable";
    }
  }

  isExhausted(day: Day): boolean {
    if (this.#held.exhaustedEpoch(day) !== this.#options.epoch.at(this.#cell)) {
      return false;
    }
    if (this.#options.clock.monotonicMs() >= this.#held.recheckAtMs) {
      this.#requestRefill(true);
    }
    return true;
  }

  begin({ slot, leaseId }: Spent): void {
    this.#options.inFlight.begin(this.#options.thread, slot, leaseId);
  }

  end({ day, slot, leaseId }: Spent, refunded: boolean): void {
    const { inFlight, thread, calendar, mainThread, endSignal } = this.#options;
    if (endSignal.aborted) {
      // This thread is disconnecting its callers; they did not leave by themselves. So nothing is settled here: the main thread refunds the
      // calls that a dead thread had in progress.
      return;
    }
    inFlight.end(thread, slot, leaseId);
    if (!refunded || day.monthNumber !== calendar.today().monthNumber) {
      return;
    }
    const left = this.#held.refund(leaseId, 1);
    if (left === 0) {
      mainThread.send({ kind: "refund", key: this.name, day, leaseId });
    } else if (left > leaseMax(this.#claim.terms)) {
      this.#requestRefill(false);
    }
  }

  monthRemaining(day: Day): number | undefined {
    return this.#held.monthRemaining(day);
  }

  awaitStatus(): Promise<unknown> {
    return this.#options.mainThread.request({ kind: "monthStatus", input: this.#claim }).catch(() => {});
  }

  #requestRefill(isUrgent: boolean): void {
    if (this.#held.requestRefill(isUrgent)) {
      const { refills } = this.#options;
      refills.add(this.name);
      if (isUrgent) {
        refills.now();
      }
    }
  }
}

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
    receivePaymentEvent: config.payments && ((event) => mainThread.request({ kind: "paymentEvent", input: event })),
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
