// The messages between worker threads and the main thread. A call that can be admitted or refused from memory needs none: a worker asks about
// keys and subscriptions that it does not know, and for calls when the leased ones have run out. Once a second it hands over its usage counts.
import type { AccountCaller } from "../account/rpc/bound-method.ts";
import type { CallBatch } from "../account/watch/call-record.ts";
import type { Plan } from "../catalogue/plan.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import type { TlsContents } from "../config/tls.ts";
import type { GuardMemory } from "../guard/lease-owner.ts";
import type { Day } from "../guard/quota/month.ts";
import type { LaterSpent } from "../guard/quota/month-lease.ts";
import type { ResponseHeaders } from "../http/headers.ts";
import type { MetricsMemory } from "../operations/metrics/worker-metrics.ts";
import type { Problem } from "../problem/problem.ts";
import type { Config } from "../server-config.ts";
import type { Credential, RefusalCount, UsageCount } from "../store/records.ts";

/** What a worker thread is started with. */
export interface WorkerThreadData {
  /** Its number, from 0. A thread that replaces another has the same number. */
  readonly thread: number;
  readonly threads: number;
  readonly config: Config;
  /** What the TLS files hold; undefined without TLS. */
  readonly tls: TlsContents | undefined;
  /** Every plan on offer. */
  readonly plans: readonly Plan[];
  readonly memory: GuardMemory;
  /** What this process knows of the other nodes, in shared memory. */
  readonly nodeStatus: Uint32Array;
  /** For each thread, 1 while Redis does not answer it. */
  readonly redisUnhealthy: Int32Array;
  /** This process's name among several nodes. */
  readonly node: string;
  /** Which accounts' calls are watched, in shared memory. */
  readonly watchedAccounts: Int32Array;
  /** Where the worker counts; undefined where it does not. */
  readonly metrics: MetricsMemory;
  /** Headers that every answer of a service has. */
  readonly extraHeaders: ResponseHeaders;
}

/** A subscription and its plan as a worker knows them, with the account's epoch at which it learnt them. */
export interface LeaseClaim {
  /** Names the account and the service. */
  readonly key: string;
  readonly subscriptionId: string;
  readonly service: ServiceName;
  readonly plan: string;
  readonly epoch: number;
}

/** Where a subscription's lease is in the shared memory. */
export interface LeasePlace {
  readonly slot: number;
  readonly generation: number;
}

/** A call of an account service. */
export interface AccountRpcCall {
  /** The RPC's path, `/quintet.account.v1.AccountService/GetUsage`. */
  readonly path: string;
  /** The input message, in Protobuf's binary form. */
  readonly input: Uint8Array;
  readonly requestContext: AccountCaller;
}

/** The questions by kind, each with what is asked and what is answered. */
interface MainThreadRequests {
  /** Whose key has this SHA-256? */
  readonly credential: { readonly asked: string; readonly answer: Credential | undefined };
  /** Where is this subscription's lease? Undefined when there is no room for it. */
  readonly leasePlace: { readonly asked: LeaseClaim; readonly answer: LeasePlace | undefined };
  /** Spend one call, once the store has been asked. */
  readonly spend: { readonly asked: LeaseClaim; readonly answer: LaterSpent };
  /** Find out how much of this subscription's month is left; the answer is in shared memory. */
  readonly monthStatus: { readonly asked: LeaseClaim; readonly answer: undefined };
  /** May this call of an account service come in, by its head? */
  readonly accountAdmission: { readonly asked: Omit<AccountRpcCall, "input">; readonly answer: undefined };
  /** Call this method of an account service. The answer is the output message in Protobuf's binary form. */
  readonly accountCall: { readonly asked: AccountRpcCall; readonly answer: Uint8Array };
  /** Begin a stream of an account service. The answer names it. Its messages are asked for one by one. */
  readonly accountStream: { readonly asked: AccountRpcCall; readonly answer: number };
  /** The next message of this stream, likewise in bytes; undefined when it has ended. */
  readonly accountStreamNext: { readonly asked: number; readonly answer: Uint8Array | undefined };
  /** Add these counts to the usage in the store. */
  readonly usage: { readonly asked: readonly UsageCount[]; readonly answer: undefined };
  /** Add these counts to the refusals in the store. */
  readonly refusals: { readonly asked: readonly RefusalCount[]; readonly answer: undefined };
}

/** One question. */
export type MainThreadRequest = {
  [Kind in keyof MainThreadRequests]: { readonly about: Kind; readonly asked: MainThreadRequests[Kind]["asked"] };
}[keyof MainThreadRequests];

/** What a question of this kind, or of any, is answered with. */
export type MainThreadAnswer<Kind extends keyof MainThreadRequests = keyof MainThreadRequests> = MainThreadRequests[Kind]["answer"];

/** Why a question has no answer: a StoreUnavailable, a StoreConflict, a Failure with a problem, or a defect. */
export type FailureMessage =
  | { readonly failure: "unavailable" | "conflict" | "defect"; readonly message: string }
  | { readonly failure: "problem"; readonly problem: Problem };

/** Where to listen. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** From a worker to the main thread. */
export type MessageFromWorker =
  | { readonly kind: "question"; readonly id: number; readonly question: MainThreadRequest }
  /** The lease of this account and service holds too much or too little, or it is time to ask the store again. */
  | { readonly kind: "refill"; readonly key: string }
  /** A call of this account and service is refunded, and its lease is gone. */
  | { readonly kind: "takeBack"; readonly key: string; readonly day: Day; readonly leaseId: number }
  /** Lines for the access log. */
  | { readonly kind: "accessLog"; readonly lines: string }
  /** Nobody reads this stream of an account service any more. */
  | { readonly kind: "endAccountStream"; readonly stream: number }
  /** Calls of accounts that are watched. */
  | { readonly kind: "calls"; readonly batches: readonly CallBatch[] }
  /** The worker has all that it needs, and can listen. */
  | { readonly kind: "ready" }
  | { readonly kind: "listening"; readonly at: Address }
  | { readonly kind: "notListening"; readonly code: string | undefined; readonly message: string }
  /** The thread's port is closed: the system gives it no new connections. */
  | { readonly kind: "portClosed" }
  /** Calls under way have ended, the usage is written, and nothing is open. */
  | { readonly kind: "stopped" };

/** From the main thread to a worker. */
export type MessageToWorker =
  | { readonly kind: "answer"; readonly id: number; readonly answer: MainThreadAnswer }
  | { readonly kind: "failure"; readonly id: number; readonly failure: FailureMessage }
  | { readonly kind: "listen"; readonly at: Address; readonly reusePort: boolean }
  | { readonly kind: "useTls"; readonly tls: TlsContents }
  /** An account has changed, or any may have. The epoch has counted it already; this ends streams that lost their access. */
  | { readonly kind: "changed"; readonly accountId: string | undefined }
  /** Accept no more connections. */
  | { readonly kind: "closePort" }
  /** Let calls under way end, then stop. */
  | { readonly kind: "stop" }
  /** Cut calls under way and end the thread. */
  | { readonly kind: "end" };
