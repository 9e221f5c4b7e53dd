// What the table of reasons (reason.ts) records about each reason.
import type { Code } from "@connectrpc/connect";

export interface ReasonRule {
  /** The RPC code: gRPC's `grpc-status`, Connect's `code`. */
  readonly code: Code;
  /** The status of the REST response. Connect derives its own from the code, by its fixed table. */
  readonly httpStatus: number;
  readonly fault: Fault;
  /** When a caller gets it: one or two sentences for the documentation, in Markdown. */
  readonly when: string;
  /** What the caller can do about it, in the same form. */
  readonly whatToDo: string;
  /** Which REST operations can end with this reason. Their documentation lists it. */
  readonly operations: readonly OperationsOf[];
  /** The message of the published example, if `when` does not fit. */
  readonly example?: string;
  /** Whether an admitted call that ends with this reason counts against the monthly quota. If not, it is refunded. */
  readonly charged?: true;
  /** Whether the response says when to come back: `Retry-After` in every protocol, and `google.rpc.RetryInfo`. */
  readonly retry?: true;
  /** Whether the problem is temporary, so that the same call to the same server may soon succeed. */
  readonly temporary?: true;
  /** For status 401: what the caller should authenticate with, which the response must say. */
  readonly authenticate?: "key" | "session";
  /** Whether the request has no key, or no session, at all. */
  readonly missing?: true;
  /** Other words that people search for when they look for its page, separated by commas. */
  readonly aliases?: string;
}

/**
 * What has to change before the same call succeeds. `key`: the key. `subscription`: the account has no active one. `plan`: a larger plan is
 * needed. `quota`: the month has to end, or a larger plan is needed. `rate`: fewer calls per second. `session`: the caller has to sign in
 * again. `account`: the call is for another account. `role`: the caller's role. `suspension`: only an operator can lift it. `state`: the
 * state of what the call changes. `input`: the fields of the request. `request`: how the client writes requests. `upstream` and `server`:
 * nothing that a caller can change.
 */
export type Fault =
  | "key"
  | "subscription"
  | "plan"
  | "quota"
  | "rate"
  | "session"
  | "account"
  | "role"
  | "suspension"
  | "state"
  | "input"
  | "request"
  | "upstream"
  | "server";

/** The faults that a subscription to another plan corrects. */
export const PLAN_FAULTS = ["subscription", "plan", "quota"] as const satisfies readonly Fault[];

/** Whether another plan corrects the fault; false if there is none. */
export const isPlanFault = (fault: Fault | undefined): boolean => PLAN_FAULTS.some((one) => one === fault);

/**
 * What a caller needs for a method: an API key, a session, an operator's session; or nothing, to sign in (`nothing`) or for public data
 * (`public`).
 */
export type Access = "key" | "session" | "operator" | "nothing" | "public";

/** A set of operations, by what their callers need and by their kind. */
export interface OperationsOf {
  readonly access: readonly Access[];
  /**
   * `get`: only GET. `path`: those whose path names something that may not exist. `named`: those whose comment in the proto, or
   * whose service's comment, names the reason. All by default.
   */
  readonly kind?: "get" | "path" | "named";
}

/** A part of the table. */
export type ReasonRules = Readonly<Record<string, ReasonRule>>;

/** Operations by what their callers need, for the lines of the table. */
export const WITH_KEY: readonly OperationsOf[] = [{ access: ["key"] }];
export const WITH_SESSION: readonly OperationsOf[] = [{ access: ["session", "operator"] }];
export const OF_ACCOUNTS: readonly OperationsOf[] = [{ access: ["session", "operator", "nothing", "public"] }];
export const ALL_OPERATIONS: readonly OperationsOf[] = [...WITH_KEY, ...OF_ACCOUNTS];
/** For reasons that no REST operation has: there is no operation at the path, or the reason occurs only in RPC protocols. */
export const NO_OPERATION: readonly OperationsOf[] = [];
