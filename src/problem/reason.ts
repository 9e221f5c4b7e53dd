// The closed table of reasons: every failure that a caller can see has one of these, and each has one RPC code, one HTTP status
// and one answer to "does it count in the month's quota?". Nothing outside this table decides a status.
import { Code } from "@connectrpc/connect";

/** What one reason means on the wire. */
export interface ReasonRule {
  /** The RPC code: gRPC's `grpc-status`, Connect's `code`. */
  readonly code: Code;
  /** The status of the REST answer. Connect derives its own from the code, by its fixed table. */
  readonly httpStatus: number;
  /** Whether an admitted call that ends so is kept in the month's count; otherwise it is refunded. */
  readonly charged: boolean;
}

const rule = (code: Code, httpStatus: number, charged = false): ReasonRule => ({ code, httpStatus, charged });

/** Reason → its rule. */
export const REASONS = {
  // Refused by the guard.
  KEY_MISSING: rule(Code.Unauthenticated, 401),
  KEY_INVALID: rule(Code.Unauthenticated, 401),
  KEY_EXPIRED: rule(Code.Unauthenticated, 401),
  KEY_REVOKED: rule(Code.Unauthenticated, 401),
  SUBSCRIPTION_REQUIRED: rule(Code.PermissionDenied, 402),
  RATE_LIMITED: rule(Code.ResourceExhausted, 429),
  QUOTA_EXCEEDED: rule(Code.ResourceExhausted, 429),
  LIMITS_UNAVAILABLE: rule(Code.Unavailable, 503),
  // Refused by the account services.
  SESSION_MISSING: rule(Code.Unauthenticated, 401),
  SESSION_INVALID: rule(Code.Unauthenticated, 401),
  SIGN_IN_FAILED: rule(Code.Unauthenticated, 401),
  ORIGIN_REFUSED: rule(Code.PermissionDenied, 403),
  STORE_UNAVAILABLE: rule(Code.Unavailable, 503),
  // Answered by a service, or on its behalf.
  PLAN_LIMIT: rule(Code.PermissionDenied, 403),
  INVALID_ARGUMENT: rule(Code.InvalidArgument, 400, true),
  NOT_FOUND: rule(Code.NotFound, 404, true),
  FAILED_PRECONDITION: rule(Code.FailedPrecondition, 409, true),
  UPSTREAM_FAILED: rule(Code.Unavailable, 502),
  DEADLINE_EXCEEDED: rule(Code.DeadlineExceeded, 504),
  CANCELLED: rule(Code.Canceled, 499, true),
  INTERNAL: rule(Code.Internal, 500),
  // Of the transport: the request never became a call.
  MALFORMED_REQUEST: rule(Code.InvalidArgument, 400, true),
  NOT_ONE_MESSAGE: rule(Code.Unimplemented, 400, true),
  METHOD_UNKNOWN: rule(Code.Unimplemented, 404),
  METHOD_NOT_ALLOWED: rule(Code.Unimplemented, 405),
  NOT_ACCEPTABLE: rule(Code.InvalidArgument, 406),
  REQUEST_TIMEOUT: rule(Code.DeadlineExceeded, 408, true),
  LENGTH_REQUIRED: rule(Code.InvalidArgument, 411),
  BODY_TOO_LARGE: rule(Code.ResourceExhausted, 413, true),
  URI_TOO_LONG: rule(Code.InvalidArgument, 414),
  UNSUPPORTED_MEDIA_TYPE: rule(Code.InvalidArgument, 415),
  ENCODING_UNKNOWN: rule(Code.Unimplemented, 415, true),
  // The code is that of https://github.com/grpc/grpc/blob/master/doc/compression.md, although the fault is the caller's.
  COMPRESSION_UNNAMED: rule(Code.Internal, 400, true),
  HEADERS_TOO_LARGE: rule(Code.ResourceExhausted, 431),
  TRANSFER_ENCODING_UNKNOWN: rule(Code.Unimplemented, 501),
  HTTP_VERSION_UNKNOWN: rule(Code.Unimplemented, 505),
  SERVER_BUSY: rule(Code.Unavailable, 503),
  SHUTTING_DOWN: rule(Code.Unavailable, 503),
} as const satisfies Record<string, ReasonRule>;

/** The name of a reason, as callers see it in `error.reason` and in `google.rpc.ErrorInfo`. */
export type Reason = keyof typeof REASONS;
