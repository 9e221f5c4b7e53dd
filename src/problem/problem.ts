// A problem is a failure as a value: what went wrong, in words for the caller, and the facts that are sent as details. The guard
// returns problems, services throw them inside a Failure, and every protocol renders them.
import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import type { Code, ConnectError } from "@connectrpc/connect";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  PreconditionFailureSchema,
  QuotaFailureSchema,
  RetryInfoSchema,
} from "../../gen/google/rpc/error_details_pb.js";
import { REASONS, type Reason } from "./reason.ts";

/**
 * The domain of every `google.rpc.ErrorInfo`. It is the same on every server, because the reasons are the same. Domains under `example` are
 * reserved and belong to nobody.
 */
export const ERROR_DOMAIN = "quintet.example";

/** One wrong field of the input. */
export interface Violation {
  /**
   * The field's path in proto names, such as `dice[2]` or `filter.name`. If there is no such field, the name of the parameter as
   * given.
   */
  readonly field: string;
  /** What is wrong and what would be right, without a full stop: `must be from 1 to 100`. */
  readonly description: string;
}

/** A failure as a value. */
export interface Problem {
  readonly reason: Reason;
  /** A sentence that tells the caller what to do. */
  readonly message: string;
  /** For INVALID_ARGUMENT: the wrong fields. */
  readonly violations?: readonly Violation[];
  /** For reasons whose rule has `retry`: how long to wait before a retry, in milliseconds. */
  readonly retryAfterMs?: number;
  /** For QUOTA_EXCEEDED: what is used up, such as `subscription:radio`. */
  readonly quotaSubject?: string;
  /** For FAILED_PRECONDITION: the field that identifies the object in the wrong state, such as `key_id`; otherwise `account`. */
  readonly preconditionSubject?: string;
  /** More facts for `ErrorInfo.metadata`. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** For ENCODING_UNKNOWN: the accepted encoding, when gzip is not accepted. */
  readonly acceptedEncoding?: "identity";
  /** For METHOD_NOT_ALLOWED: the `Allow` header. */
  readonly allow?: string;
  /** What was thrown. For the log only. */
  readonly cause?: unknown;
  /** An error of Connect's own, when a handler threw one. RPC protocols send its code, message and details unchanged. */
  readonly originalError?: ConnectError;
}

/** One detail: a message's schema and the fields that it is made from. */
export interface ProblemDetail {
  readonly desc: DescMessage;
  readonly value: MessageInitShape<DescMessage>;
}

const detail = <Desc extends DescMessage>(desc: Desc, value: MessageInitShape<Desc>): ProblemDetail => ({ desc, value });

/** The details of a problem, in the order in which they are sent: always `ErrorInfo` first. */
export function problemDetails(problem: Problem): ProblemDetail[] {
  const details = [detail(ErrorInfoSchema, { reason: problem.reason, domain: ERROR_DOMAIN, metadata: { ...problem.metadata } })];
  if (problem.violations !== undefined && problem.violations.length > 0) {
    const fieldViolations = problem.violations.map(({ field, description }) => ({ field, description }));
    details.push(detail(BadRequestSchema, { fieldViolations }));
  }
  if (problem.quotaSubject !== undefined) {
    details.push(detail(QuotaFailureSchema, { violations: [{ subject: problem.quotaSubject, description: problem.message }] }));
  }
  if (problem.preconditionSubject !== undefined) {
    const violation = { type: "STATE", subject: problem.preconditionSubject, description: problem.message };
    details.push(detail(PreconditionFailureSchema, { violations: [violation] }));
  }
  if (problem.retryAfterMs !== undefined) {
    const seconds = Math.floor(problem.retryAfterMs / 1000);
    const nanos = Math.round((problem.retryAfterMs - seconds * 1000) * 1_000_000);
    details.push(detail(RetryInfoSchema, { retryDelay: { seconds: BigInt(seconds), nanos } }));
  }
  return details;
}

/** Bad input. The message is made from the violations: `dice[2] must be from 1 to 6; limit must be from 1 to 100`. */
export function invalidArgument(violations: readonly Violation[]): Problem {
  const message = violations.map(({ field, description }) => `${field} ${description}`).join("; ");
  return { reason: "INVALID_ARGUMENT", message, violations };
}

/** A bug of ours, with a fixed message. The thrown value is for the log only. */
export function internalProblem(cause: unknown): Problem {
  return { reason: "INTERNAL", message: "Something went wrong on our side; the call was not counted.", cause };
}

/** The code of a problem in RPC protocols. */
export function codeOf({ reason, originalError }: Problem): Code {
  return originalError?.code ?? REASONS[reason].code;
}
