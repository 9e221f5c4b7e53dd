// The guard's interface for the rest of the product: one decision before a call, and one report of how it ended. Nothing else charges
// calls.
import type { ContextKey } from "@connectrpc/connect";
import type { LimitState } from "@quintet/guard";
import type { Plan } from "../catalogue/plan.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Problem } from "../problem/problem.ts";
import type { Reason } from "../problem/reason.ts";
import type { CallerIdentity } from "./keys/access.ts";
import type { MeshCaller } from "./mesh/mesh-caller.ts";

/** What a request's headers contain about its caller. */
export interface CallerRequest {
  /** The `x-gateway-key` header as sent; undefined if there is none. Several headers arrive joined by commas, which is not a valid key. */
  readonly key: string | undefined;
  /** The caller that a client certificate identifies, if there is one. Used only if no key was sent. */
  readonly mesh?: MeshCaller | undefined;
  /** The caller's IP address. Attempts with unknown keys are limited for each address. */
  readonly address: string;
  /** The `Origin` header, which browsers send; undefined if there is none. A key may be limited to pages from some origins. */
  readonly origin?: string | undefined;
  /** The service that is to be called; undefined if the caller only identifies itself. */
  readonly service?: ServiceName | undefined;
}

/** A call that is to be admitted, as far as its headers show. */
export interface AdmissionRequest extends CallerRequest {
  readonly service: ServiceName;
  /** The RPC method's full name, such as `quintet.farkle.v1.FarkleService/Score`: for the usage record. */
  readonly method: string;
  /** Whether this is a dry run, which counts only against the rate limit. */
  readonly isDryRun?: boolean | undefined;
}

/** A refused call. It is not charged. */
export interface Refused {
  readonly admitted: false;
  readonly problem: Problem;
  /** Present once the subscription is known. */
  readonly limits?: LimitState<Plan>;
  /** Present once the key's owner is known. */
  readonly identity?: CallerIdentity;
  /** Present if a limit was used up: a plan with this many requests per second would have admitted all of this second's calls. */
  readonly rateNeeded?: number;
}

/** The owner of a key or certificate that may be used. Nothing has been charged. */
export interface Identified {
  readonly identity: CallerIdentity;
}

/** The decision on a call, or a promise of it that never rejects. */
export type Decision = Admitted | Refused | Promise<Admitted | Refused>;

/** What a handler may know about its caller: one value, and the context key under which the handler finds it. */
export interface CallerContext<Value = unknown> {
  readonly key: ContextKey<Value>;
  readonly value: Value;
}

/** An admission: the call has been charged, unless it is free. */
export interface Admitted {
  readonly admitted: true;
  readonly caller: CallerContext;
  /** Undefined if the call needs no key. */
  readonly identity?: CallerIdentity;
  /** Undefined if no plan limits the call. */
  readonly limits?: LimitState<Plan>;
  /**
   * Settles the call, exactly once: keeps the charge, or refunds the call to the monthly quota if the outcome's reason says so, and records
   * the usage. The rate limit's token stays spent in both cases: a caller whose calls fail must not retry without limit.
   */
  settle(outcome: "OK" | Reason): void;
  /**
   * Called for each request that is sent to an upstream for the call. After the first, each takes a token of the rate, even if there is
   * none: then further calls wait or are refused until the debt is paid. Left out if no plan limits the call.
   */
  chargeRequest?(): void;
  /**
   * Decides again for the same caller, who stays connected for longer than one charge covers. The decision is about another call, which is
   * charged and settled separately; this one is neither settled nor changed.
   */
  renew(): Decision;
  /**
   * Calls back once if the caller may no longer continue, because their key, account or subscription has changed. Returns a function that
   * stops the watch: call it when the caller's connection ends.
   */
  watch(onRefused: (refused: Refused) => void): () => void;
}

export interface Guard {
  /** Decides immediately if everything it needs is in memory, otherwise once that has been fetched. Never throws or rejects. */
  admit(request: AdmissionRequest): Decision;
}

/** Identifies the caller of a request that does not itself call a method. */
export interface CallerIdentification {
  /**
   * The owner of the key or certificate, or why it may not be used. Ignores limits, and charges nothing. Never throws or rejects.
   */
  identify(request: CallerRequest): Identified | Refused | Promise<Identified | Refused>;
}
