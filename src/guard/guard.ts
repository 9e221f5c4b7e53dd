// What the rest of the product sees of the guard: one question before a call, and one report of how it ended. Nothing else charges.
import type { ContextKey } from "@connectrpc/connect";
import type { Plan } from "../catalogue/plan.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Problem } from "../problem/problem.ts";
import type { Reason } from "../problem/reason.ts";
import type { CallerIdentity } from "./keys/access.ts";
import type { MeshCaller } from "./mesh/mesh-caller.ts";

/** A call that is to be admitted, as far as its headers tell. */
export interface AdmissionRequest {
  /** The `x-gateway-key` header as sent; undefined when there is none. Several headers arrive joined by commas, which is no key. */
  readonly key: string | undefined;
  /** Who calls by a client certificate, where they show one. It counts only where there is no key. */
  readonly mesh?: MeshCaller | undefined;
  /** The caller's IP address. What it costs to try keys that nobody has is counted by it. */
  readonly address: string;
  readonly service: ServiceName;
  /** The RPC method's full name, such as `quintet.farkle.v1.FarkleService/Score`: for the usage record. */
  readonly method: string;
  /** Whether the caller only asks what would become of the call: then it costs a request of this second and nothing else. */
  readonly isDryRun?: boolean | undefined;
}

/** Where a subscription stands against its limits, for the RateLimit headers. */
export interface LimitState {
  readonly plan: Plan;
  /** Requests left this second. */
  readonly secondRemaining: number;
  /** Seconds until at least one more request is allowed. */
  readonly secondResetSeconds: number;
  /** Calls left this month. */
  readonly monthRemaining: number;
  /** Seconds until the month ends, UTC. */
  readonly monthResetSeconds: number;
  /** Seconds in this month, the policy's window. */
  readonly monthSeconds: number;
}

/** A refusal. It costs nothing. */
export interface Refused {
  readonly admitted: false;
  readonly problem: Problem;
  /** Known once the subscription is. */
  readonly limits?: LimitState;
  /** Known once the key is. */
  readonly identity?: CallerIdentity;
  /** Where a limit was used up: a plan with so many requests per second would have refused none of the calls of this second. */
  readonly rateNeeded?: number;
}

/** The decision on a call, or a promise of it that never rejects. */
export type Decision = Admitted | Refused | Promise<Admitted | Refused>;

/** What a handler may know of its caller: one value, and the context key that the handler reads it by. */
export interface CallerContext<Value = unknown> {
  readonly key: ContextKey<Value>;
  readonly value: Value;
}

/** An admission: the call has been charged, if it is one that costs. */
export interface Admitted {
  readonly admitted: true;
  readonly caller: CallerContext;
  /** Undefined where the call needs no key. */
  readonly identity?: CallerIdentity;
  /** Undefined where no plan limits the call. */
  readonly limits?: LimitState;
  /**
   * Settles the call, exactly once: keeps the charge, or refunds the month where the outcome's reason says so, and records the usage.
   * This second's request stays spent either way: a caller whose calls fail must not hammer what is failing.
   */
  settle(outcome: "OK" | Reason): void;
  /**
   * Asks once more for the same caller, who stays connected for longer than one charge covers. The answer is about another call, which is
   * charged and settled by itself; this one is neither settled nor changed.
   */
  renew(): Decision;
  /**
   * Calls back once when the caller may not go on, because their key, account or subscription has changed. Returns a function that stops the
   * watch: call it when the caller's connection ends.
   */
  watch(onRefused: (refused: Refused) => void): () => void;
}

/** The guard. */
export interface Guard {
  /** Decides at once where all it needs is in memory, else once that has been fetched. Never throws or rejects. */
  admit(request: AdmissionRequest): Decision;
}
