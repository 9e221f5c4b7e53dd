// The guard's face: one question before a call, one word after it. Everything that protects the product stands behind `admit`, and
// nothing else charges.
import type { ContextKey } from "@connectrpc/connect";
import type { Plan } from "../catalogue/plan.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Problem } from "../problem/problem.ts";
import type { Reason } from "../problem/reason.ts";

/** A call that asks to be let in, known by its headers alone. */
export interface AdmissionRequest {
  /** The `x-gateway-key` header as sent; undefined when there is none. Several headers are one, joined by commas, and no key. */
  readonly key: string | undefined;
  readonly service: ServiceName;
  /** The RPC method's full name, such as `quintet.farkle.v1.FarkleService/Score`: for the usage record. */
  readonly method: string;
}

/** Where a subscription stands against its limits, for the RateLimit headers. */
export interface LimitState {
  readonly plan: Plan;
  /** Requests left this second. */
  readonly secondRemaining: number;
  /** Seconds until at least one more request is there. */
  readonly secondResetSeconds: number;
  /** Calls left this month. */
  readonly monthRemaining: number;
  /** Seconds until the month ends, UTC. */
  readonly monthResetSeconds: number;
  /** Seconds in this month, the policy's window. */
  readonly monthSeconds: number;
}

/** A refusal. It cost nothing. */
export interface Refused {
  readonly admitted: false;
  readonly problem: Problem;
  /** Known once the subscription is. */
  readonly limits?: LimitState;
}

/** What the guard says of a call: at once, or once it has been found out. Never rejects. */
export type Decision = Admitted | Refused | Promise<Admitted | Refused>;

/** What a handler may know of its caller: one value, under the key by which it asks for it. */
export interface CallerContext<Value = unknown> {
  readonly key: ContextKey<Value>;
  readonly value: Value;
}

/** An admission: the call has been charged, where it is one that costs. */
export interface Admitted {
  readonly admitted: true;
  readonly caller: CallerContext;
  /** Undefined where no plan limits the call. */
  readonly limits?: LimitState;
  /**
   * Says how the call ended, exactly once: keeps the charge, or refunds the month where the reason says so, and records the usage.
   * The second's token is spent either way: a caller whose calls fail must not hammer what is failing.
   */
  settle(outcome: "OK" | Reason): void;
  /**
   * Asks once more for the same caller, who stays connected for longer than one call is worth. What comes of it is another call, charged
   * and settled by itself; this one is neither settled nor changed.
   */
  renew(): Decision;
  /**
   * Calls back, once, when the caller may not go on, because their key, account or subscription has changed. Returns what stops that; who
   * stays connected stops it when they go.
   */
  watch(onRefused: (refused: Refused) => void): () => void;
}

/** The guard. */
export interface Guard {
  /** Answers at once where the subscription's allowance is in memory, else once it has been fetched. Never throws or rejects. */
  admit(request: AdmissionRequest): Decision;
}
