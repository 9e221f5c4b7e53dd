// What worker threads and the main thread say to each other. No message is sent for a call that can be admitted or refused from memory: a
// worker asks about a key or a subscription that it does not know, for calls when the leased ones have run out, and once a second
// hands over what it counted.
import type { AccountCaller } from "../account/rpc/bound-method.ts";
import type { Plan } from "../catalogue/plan.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import type { GuardMemory } from "../guard/lease-owner.ts";
import type { Day } from "../guard/quota/month.ts";
import type { LaterSpent } from "../guard/quota/month-lease.ts";
import type { ResponseHeaders } from "../http/headers.ts";
import type { Problem } from "../problem/problem.ts";
import type { Config } from "../server-config.ts";
import type { Credential, UsageCount } from "../store/records.ts";

/** What a worker thread is handed when it begins. */
export interface WorkerThreadData {
  /** Its number, from 0. One that replaces another has the same. */
  readonly thread: number;
  readonly threads: number;
  readonly config: Config;
  /** Every plan on offer. */
  readonly plans: readonly Plan[];
  readonly memory: GuardMemory;
  /** What is known of the other nodes. */
  readonly nodeStatus: Uint32Array;
  /** Of each thread, 1 while Redis does not answer it. */
  readonly redisUnhealthy: Int32Array;
  /** This process's name among several nodes. */
  readonly node: string;
  /** Headers that every answer of a service has. */
  readonly extraHeaders: ResponseHeaders;
}

/** A subscription and its plan, as a worker knows them, and the account's epoch of that knowledge. */
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

/** The questions, each with what is asked and what is answered. */
export interface MainThreadRequests {
  /** Whose key has this SHA-256? */
  readonly credential: { readonly asked: string; readonly answer: Credential | undefined };
  /** Where is this subscription's lease? Undefined when there is no room for it. */
  readonly place: { readonly asked: LeaseClaim; readonly answer: LeasePlace | undefined };
  /** One call, please, once the store has been asked. */
  readonly call: { readonly asked: LeaseClaim; readonly answer: LaterSpent };
  /** Find out where this subscription's month stands. */
  readonly month: { readonly asked: LeaseClaim; readonly answer: undefined };
  /** May this call of an account service come in, by its head? */
  readonly admission: { readonly asked: Omit<AccountRpcCall, "input">; readonly answer: undefined };
  /** Call this method of an account service. The answer is the output message in Protobuf's binary form. */
  readonly account: { readonly asked: AccountRpcCall; readonly answer: Uint8Array };
  /** Write this. */
  readonly usage: { readonly asked: readonly UsageCount[]; readonly answer: undefined };
}

/** One question. */
export type MainThreadRequest = {
  [Kind in keyof MainThreadRequests]: { readonly about: Kind; readonly asked: MainThreadRequests[Kind]["asked"] };
}[keyof MainThreadRequests];

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
  /** The lease of this account and service has too much or too little in it, or it is time to ask the store again. */
  | { readonly kind: "refill"; readonly key: string }
  /** A call of this account and service is refunded, and its lease is not there any more. */
  | { readonly kind: "takeBack"; readonly key: string; readonly day: Day; readonly leaseId: number }
  /** It has everything that it needs, and can listen. */
  | { readonly kind: "ready" }
  | { readonly kind: "listening"; readonly at: Address }
  | { readonly kind: "notListening"; readonly code: string | undefined; readonly message: string }
  /** Calls under way have ended, all is written, and nothing is open. */
  | { readonly kind: "stopped" };

/** From the main thread to a worker. */
export type MessageToWorker =
  | { readonly kind: "answer"; readonly id: number; readonly answer: unknown }
  | { readonly kind: "failure"; readonly id: number; readonly failure: FailureMessage }
  | { readonly kind: "listen"; readonly at: Address; readonly reusePort: boolean }
  | { readonly kind: "reloadTls" }
  /** An account has changed, or any may have. It has been counted: this is for those who stay connected. */
  | { readonly kind: "changed"; readonly accountId: string | undefined }
  /** Let calls under way end, and stop. */
  | { readonly kind: "stop" }
  /** Cut what is under way, and end. */
  | { readonly kind: "end" };
