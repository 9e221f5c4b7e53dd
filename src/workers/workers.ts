// The workers of a process, as the app sees them: one in the main thread (local-worker.ts), or several in threads (threaded-workers.ts).

import type { ResponseHeaders } from "@quintet/http";
import type { AccountRpc } from "../account/rpc/account-rpc.ts";
import type { CallFeed } from "../account/watch/call-feed.ts";
import type { CallLog } from "../account/watch/call-log.ts";
import type { Plan } from "../catalogue/plan.ts";
import type { Plans } from "../catalogue/plans.ts";
import type { TlsContents } from "../config/tls.ts";
import type { ReceivePaymentEvent } from "../gateway/payment-endpoint.ts";
import type { GuardLimits } from "../guard/guard-limits.ts";
import type { LeaseOwner } from "../guard/lease-owner.ts";
import type { ThreadCounts } from "../operations/metrics/process-metrics.ts";
import type { MetricsMemory } from "../operations/metrics/worker-metrics.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { Config } from "../server-config.ts";
import type { GuardStore } from "../store/store.ts";
import type { Address } from "./messages.ts";
import type { TlsWatch } from "./tls-watch.ts";

/** What the workers of a process share. The main thread owns all of this. */
export interface WorkersOptions {
  readonly config: Config;
  /** The TLS files; undefined without TLS. */
  readonly tlsWatch: TlsWatch | undefined;
  readonly store: GuardStore;
  readonly leaseOwner: LeaseOwner;
  readonly limits: GuardLimits;
  readonly plans: Plans;
  /** Where accounts are managed. */
  readonly accountRpc: AccountRpc;
  /** Receives events from Stripe; undefined if customers cannot pay by card. */
  readonly receivePaymentEvent: ReceivePaymentEvent | undefined;
  /** Receives the watched calls. */
  readonly callFeed: CallFeed;
  /** Receives the calls for the log of their accounts. */
  readonly callLog: CallLog;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** The metrics memory of each worker, in the order of their numbers. */
  readonly metrics: readonly MetricsMemory[];
  /** Adds lines to the access log; undefined if there is none. */
  readonly writeAccessLog: ((lines: string) => void) | undefined;
  /** The memory of a RedisStatus. */
  readonly redisCells: Int32Array;
  /** Where all threads count the calls with the public key; undefined if there is none. */
  readonly publicKeyCells: BigInt64Array | undefined;
  /** Headers that are added to every response from a service. */
  readonly extraHeaders: ResponseHeaders;
}

export interface Workers {
  /** Accepts connections and returns the address that it listens on. Rejects if the address is taken. */
  listen(host: string, port: number): Promise<Address>;
  /** Uses these contents of the TLS files for new connections. */
  useTls(tls: TlsContents): void;
  /**
   * Called when this account has changed; without an id, any account may have changed. Ends the streams of callers who lost their access.
   */
  changed(accountId: string | undefined): void;
  /** Tells other threads that these plans are on offer now. */
  usePlans(offered: readonly Plan[]): void;
  threads(): ThreadCounts;
  /** Lets calls in progress finish, for at most the configured time, then ends the workers. Never rejects. */
  stop(): Promise<void>;
}
