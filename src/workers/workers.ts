// The workers of a process, as the app sees them: one in the main thread (local-worker.ts), or several with a thread each (threaded-workers.ts).
import type { AccountRpc } from "../account/rpc/account-rpc.ts";
import type { CallFeed } from "../account/watch/call-feed.ts";
import type { Plans } from "../catalogue/plans.ts";
import type { TlsContents } from "../config/tls.ts";
import type { GuardLimits } from "../guard/guard-limits.ts";
import type { LeaseOwner } from "../guard/lease-owner.ts";
import type { ResponseHeaders } from "../http/headers.ts";
import type { ThreadCounts } from "../operations/metrics/process-metrics.ts";
import type { MetricsMemory } from "../operations/metrics/worker-metrics.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { Config } from "../server-config.ts";
import type { GuardStore } from "../store/store.ts";
import type { Address } from "./messages.ts";
import type { TlsWatch } from "./tls-watch.ts";

/** What the workers of a process share. The main thread owns all of it. */
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
  /** Takes the calls that are watched. */
  readonly callFeed: CallFeed;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** What every worker counts in, in the order of their numbers; undefined where nothing is counted. */
  readonly metrics: readonly MetricsMemory[];
  /** Adds lines to the access log; undefined where there is none. */
  readonly writeAccessLog: ((lines: string) => void) | undefined;
  /** For each worker, 1 while Redis does not answer it. */
  readonly redisUnhealthy: Int32Array;
  /** Headers that every answer of a service has. */
  readonly extraHeaders: ResponseHeaders;
}

/** The workers of a process. */
export interface Workers {
  /** Accepts connections and returns the address that it listens on. Rejects when the address is taken. */
  listen(host: string, port: number): Promise<Address>;
  /** Uses what the TLS files hold now, for connections from now on. */
  useTls(tls: TlsContents): void;
  /** An account has changed, or any may have when none is named: streams of callers who lost their access are ended. */
  changed(accountId: string | undefined): void;
  /** How many serve. */
  threads(): ThreadCounts;
  /** Lets calls under way end, for as long as the configuration says, then ends the workers. Never rejects. */
  stop(): Promise<void>;
}
