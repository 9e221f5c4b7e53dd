// The messages between worker threads and the main thread. A call that can be admitted or refused from memory needs none. A worker requests
// keys and subscriptions that it does not know, and calls when the leased ones have run out. Once a second it sends its usage counts.

import type { ResponseHeaders } from "@quintet/http";
import type { AccountAdmission, AccountCall } from "../account/rpc/bound-method.ts";
import type { CallBatch } from "../account/watch/call-record.ts";
import type { Plan } from "../catalogue/plan.ts";
import type { TlsContents } from "../config/tls.ts";
import type { PaymentEventOutcome } from "../gateway/payment-endpoint.ts";
import type { GuardMemory } from "../guard/lease-owner.ts";
import type { LaterSpent } from "../guard/quota/month-lease.ts";
import type { MetricsMemory } from "../operations/metrics/worker-metrics.ts";
import type { Problem } from "../problem/problem.ts";
import type { Day } from "../runtime/calendar.ts";
import type { Config } from "../server-config.ts";
import type { Credential, LeaseSubject, PlanTerms } from "../store/records.ts";
import type { BatchId, LoggedCall, RefusalCount, UsageCount } from "../store/usage-records.ts";
import type { EncodedAccountCall } from "./account-messages.ts";

export interface WorkerThreadData {
  /** The thread's number, from 0. A thread that replaces another has the same number. */
  readonly thread: number;
  readonly threads: number;
  readonly config: Config;
  /** The contents of the TLS files; undefined without TLS. */
  readonly tls: TlsContents | undefined;
  readonly plans: readonly Plan[];
  readonly memory: GuardMemory;
  /** What this process knows about the other nodes, in shared memory. */
  readonly nodeStatus: Uint32Array;
  /** The memory of a RedisStatus. */
  readonly redisCells: Int32Array;
  /** Where all threads count the calls with the public key; undefined if there is none. */
  readonly publicKeyCells: BigInt64Array | undefined;
  /** Which accounts' calls are watched, in shared memory. */
  readonly watchedAccounts: Int32Array;
  /** Where the worker counts its metrics. */
  readonly metrics: MetricsMemory;
  /** Headers that are added to every response from a service. */
  readonly extraHeaders: ResponseHeaders;
}

/** A subscription or the cap of a key as a worker knows it, with the account's epoch when it learned it. */
export interface LeaseClaim {
  /** Identifies the account and the service, or the cap. */
  readonly key: string;
  readonly subject: LeaseSubject;
  readonly terms: PlanTerms;
  readonly epoch: number;
}

/** Where a subscription's lease is in the shared memory. */
export interface LeaseSlot {
  readonly slot: number;
  readonly generation: number;
}

/** The requests by kind, each with its input and its result. */
interface MainThreadRequests {
  /** Who owns the key with this SHA-256? */
  readonly credential: { readonly input: string; readonly response: Credential | undefined };
  /** Where is this subscription's lease? Undefined if there is no room for it. */
  readonly leaseSlot: { readonly input: LeaseClaim; readonly response: LeaseSlot | undefined };
  /** Spend one call, once the store has been queried. */
  readonly spend: { readonly input: LeaseClaim; readonly response: LaterSpent };
  /** Find out how much of this subscription's monthly quota is left; the result is in shared memory. */
  readonly monthStatus: { readonly input: LeaseClaim; readonly response: undefined };
  /** Is this call of an account service admitted, judging by its method and caller alone? */
  readonly accountAdmission: { readonly input: Omit<AccountCall, "input">; readonly response: AccountAdmission | undefined };
  /** Call this method of an account service. The result is the output message in Protobuf's binary form. */
  readonly accountCall: { readonly input: EncodedAccountCall; readonly response: Uint8Array };
  /** Begin a stream of an account service. The result identifies the stream. Its messages are requested one by one. */
  readonly accountStream: { readonly input: EncodedAccountCall; readonly response: number };
  /** The next message of this stream, also in bytes; undefined if it has ended. */
  readonly accountStreamNext: { readonly input: number; readonly response: Uint8Array | undefined };
  /** Handle this event from Stripe. */
  readonly paymentEvent: {
    readonly input: { readonly body: Uint8Array; readonly signature: string };
    readonly response: PaymentEventOutcome;
  };
  /** Add these counts to the usage in the store. */
  readonly usage: {
    readonly input: { readonly counts: readonly UsageCount[]; readonly id: BatchId };
    readonly response: undefined;
  };
  /** Add these counts to the refusals in the store. */
  readonly refusals: {
    readonly input: { readonly counts: readonly RefusalCount[]; readonly id: BatchId };
    readonly response: undefined;
  };
}

export type MainThreadRequest = {
  [Kind in keyof MainThreadRequests]: { readonly kind: Kind; readonly input: MainThreadRequests[Kind]["input"] };
}[keyof MainThreadRequests];

export type MainThreadResponse<Kind extends keyof MainThreadRequests = keyof MainThreadRequests> =
  MainThreadRequests[Kind]["response"];

/** Why a request failed: a StoreUnavailable, a StoreConflict, a Failure with a problem, or a defect. */
export type FailureMessage =
  | { readonly failure: "unavailable" | "conflict" | "defect"; readonly message: string }
  | { readonly failure: "problem"; readonly problem: Problem };

export interface Address {
  readonly host: string;
  readonly port: number;
}

export type MessageFromWorker =
  | { readonly kind: "request"; readonly id: number; readonly request: MainThreadRequest }
  /** The leases of these accounts and services hold too many or too few calls, or it is time to query the store again. */
  | { readonly kind: "refill"; readonly keys: readonly string[] }
  /** A call of this account and service is refunded, and its lease is gone. */
  | { readonly kind: "refund"; readonly key: string; readonly day: Day; readonly leaseId: number }
  | { readonly kind: "accessLog"; readonly lines: string }
  /** This stream of an account service no longer has a reader. */
  | { readonly kind: "endAccountStream"; readonly stream: number }
  /** Calls by accounts that are watched. */
  | { readonly kind: "calls"; readonly batches: readonly CallBatch[] }
  /** Calls for the log of their accounts. */
  | { readonly kind: "loggedCalls"; readonly calls: readonly LoggedCall[] }
  | { readonly kind: "ready" }
  | { readonly kind: "listening"; readonly at: Address }
  | { readonly kind: "notListening"; readonly code: string | undefined; readonly message: string }
  /** The thread's port is closed: the system gives it no new connections. */
  | { readonly kind: "portClosed" }
  /** Calls in progress have ended, the usage is written, and nothing is open. */
  | { readonly kind: "stopped" };

export type MessageToWorker =
  | { readonly kind: "response"; readonly id: number; readonly response: MainThreadResponse }
  | { readonly kind: "failure"; readonly id: number; readonly failure: FailureMessage }
  | { readonly kind: "listen"; readonly at: Address; readonly reusePort: boolean }
  | { readonly kind: "useTls"; readonly tls: TlsContents }
  /** These plans are on offer now. */
  | { readonly kind: "usePlans"; readonly plans: readonly Plan[] }
  /**
   * This account has changed; without an id, any may have. The epoch has already counted the change; this message ends the streams of
   * callers who lost their access.
   */
  | { readonly kind: "changed"; readonly accountId: string | undefined }
  /** Accept no more connections. */
  | { readonly kind: "closePort" }
  /** Let calls in progress finish, then stop. */
  | { readonly kind: "stop" }
  /** Cut calls in progress and end the thread. */
  | { readonly kind: "end" };
