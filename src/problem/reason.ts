// The closed table of reasons: every failure that a caller can see has one of these. Nothing outside this table decides a status,
// whether a call counts in the month's quota, or what the documentation says about a reason. A new reason is one line here, and an
// example in scripts/openapi/examples.ts if a documented REST operation can end so; `npm run generate` fails without it.
import { Code } from "@connectrpc/connect";

/** What one reason means. */
export interface ReasonRule {
  /** The RPC code: gRPC's `grpc-status`, Connect's `code`. */
  readonly code: Code;
  /** The status of the REST answer. Connect derives its own from the code, by its fixed table. */
  readonly httpStatus: number;
  /** When a caller meets it: a public sentence or two, in Markdown. */
  readonly when: string;
  /** Whether an admitted call that ends so is kept in the month's count. If not, it is refunded. */
  readonly charged?: true;
  /** Whether the answer says when to come back: `Retry-After` in every protocol, and `google.rpc.RetryInfo`. */
  readonly retry?: true;
  /** For the status 401, which has to say so: what the caller should authenticate with. */
  readonly authenticate?: "key" | "session";
  /**
   * False when no REST operation of the OpenAPI document can end so: there is no such path, or it happens in RPC protocols alone.
   */
  readonly documented?: false;
}

const TABLE = {
  // Refused by the guard.
  KEY_MISSING: { code: Code.Unauthenticated, httpStatus: 401, authenticate: "key", when: "There is no `x-gateway-key` header." },
  KEY_INVALID: {
    code: Code.Unauthenticated,
    httpStatus: 401,
    authenticate: "key",
    when: "The header holds no key, an unknown key, or one that may not call this service.",
  },
  KEY_EXPIRED: {
    code: Code.Unauthenticated,
    httpStatus: 401,
    authenticate: "key",
    when: "The key has expired, or it was rotated and its grace period is over.",
  },
  KEY_REVOKED: { code: Code.Unauthenticated, httpStatus: 401, authenticate: "key", when: "The key is revoked or disabled." },
  SUBSCRIPTION_REQUIRED: {
    code: Code.PermissionDenied,
    httpStatus: 402,
    when: "The account has no active subscription to the service, or is suspended.",
  },
  RATE_LIMITED: {
    code: Code.ResourceExhausted,
    httpStatus: 429,
    retry: true,
    when: "Too many calls: the plan's requests per second, the account's calls of AccountService, attempts to sign in, or calls without a key.",
  },
  QUOTA_EXCEEDED: {
    code: Code.ResourceExhausted,
    httpStatus: 429,
    retry: true,
    when: "The plan's calls of this month are used up.",
  },
  LIMITS_UNAVAILABLE: { code: Code.Unavailable, httpStatus: 503, retry: true, when: "The limits cannot be checked at the moment." },
  // Refused by the account services.
  SESSION_MISSING: {
    code: Code.Unauthenticated,
    httpStatus: 401,
    authenticate: "session",
    when: "There is neither an `authorization` header nor a session's cookie.",
  },
  SESSION_INVALID: {
    code: Code.Unauthenticated,
    httpStatus: 401,
    authenticate: "session",
    when: "The header or cookie holds no token, an unknown token, or one whose session has ended.",
  },
  SIGN_IN_FAILED: {
    code: Code.Unauthenticated,
    httpStatus: 401,
    authenticate: "session",
    when: "The e-mail address or the password is wrong.",
  },
  ORIGIN_REFUSED: {
    code: Code.PermissionDenied,
    httpStatus: 403,
    when: "A page of another origin used the session's cookie, or asked for one.",
  },
  ACCOUNT_SUSPENDED: {
    code: Code.PermissionDenied,
    httpStatus: 403,
    when: "An operator has suspended the account: its sessions may only call GetAccount and SignOut.",
  },
  OPERATOR_REQUIRED: {
    code: Code.PermissionDenied,
    httpStatus: 403,
    when: "The session's account is not an operator's, who alone may call OperatorService.",
  },
  STORE_UNAVAILABLE: {
    code: Code.Unavailable,
    httpStatus: 503,
    retry: true,
    when: "The accounts' database does not answer at the moment.",
  },
  // Answered by a service, or on its behalf.
  PLAN_LIMIT: {
    code: Code.PermissionDenied,
    httpStatus: 403,
    when: "The plan does not include what was asked for, such as a batch of this size.",
  },
  INVALID_ARGUMENT: {
    code: Code.InvalidArgument,
    httpStatus: 400,
    charged: true,
    when: "The input is wrong; each wrong field is named.",
  },
  NOT_FOUND: {
    code: Code.NotFound,
    httpStatus: 404,
    charged: true,
    when: "There is no such station, token, list, key or subscription.",
  },
  FAILED_PRECONDITION: {
    code: Code.FailedPrecondition,
    httpStatus: 409,
    charged: true,
    when: "The current state forbids the change: the key is revoked, the subscription is cancelled, or there is one already.",
  },
  UPSTREAM_FAILED: { code: Code.Unavailable, httpStatus: 502, when: "No upstream gave a usable answer." },
  DEADLINE_EXCEEDED: {
    code: Code.DeadlineExceeded,
    httpStatus: 504,
    when: "The call took longer than the caller's deadline, or than ours.",
  },
  CANCELLED: {
    code: Code.Canceled,
    httpStatus: 499,
    charged: true,
    documented: false,
    when: "The caller closed the connection or cancelled the call.",
  },
  INTERNAL: { code: Code.Internal, httpStatus: 500, when: "A defect of ours." },
  // Of the transport: the request never became a call.
  MALFORMED_REQUEST: {
    code: Code.InvalidArgument,
    httpStatus: 400,
    charged: true,
    when: "The request cannot be read: a bad frame, bad compression or a bad header.",
  },
  NOT_ONE_MESSAGE: {
    code: Code.Unimplemented,
    httpStatus: 400,
    charged: true,
    documented: false,
    when: "An RPC that takes exactly one message got none, or several.",
  },
  METHOD_UNKNOWN: { code: Code.Unimplemented, httpStatus: 404, documented: false, when: "Nothing is served at this path." },
  METHOD_NOT_ALLOWED: {
    code: Code.Unimplemented,
    httpStatus: 405,
    documented: false,
    when: "The path does not take this HTTP method. `Allow` lists those that it takes.",
  },
  NOT_ACCEPTABLE: { code: Code.InvalidArgument, httpStatus: 406, when: "The `accept` header does not allow JSON." },
  REQUEST_TIMEOUT: { code: Code.DeadlineExceeded, httpStatus: 408, charged: true, when: "The body did not arrive in time." },
  LENGTH_REQUIRED: { code: Code.InvalidArgument, httpStatus: 411, when: "A GET has a body without `content-length`." },
  BODY_TOO_LARGE: {
    code: Code.ResourceExhausted,
    httpStatus: 413,
    charged: true,
    when: "The body is too long, or the message is after decompression. The account services take 4 KiB.",
  },
  URI_TOO_LONG: { code: Code.InvalidArgument, httpStatus: 414, when: "The URL is too long." },
  UNSUPPORTED_MEDIA_TYPE: { code: Code.InvalidArgument, httpStatus: 415, when: "The body's content type is not supported." },
  ENCODING_UNKNOWN: {
    code: Code.Unimplemented,
    httpStatus: 415,
    charged: true,
    when: "The body is compressed in a way that is not supported here.",
  },
  // The code is that of https://github.com/grpc/grpc/blob/master/doc/compression.md, although the fault is the caller's.
  COMPRESSION_UNNAMED: {
    code: Code.Internal,
    httpStatus: 400,
    charged: true,
    documented: false,
    when: "A gRPC or gRPC-Web message is compressed, and no header names the compression.",
  },
  HEADERS_TOO_LARGE: { code: Code.ResourceExhausted, httpStatus: 431, when: "The headers are too many or too long." },
  TRANSFER_ENCODING_UNKNOWN: {
    code: Code.Unimplemented,
    httpStatus: 501,
    documented: false,
    when: "The body's transfer-encoding is not `chunked`.",
  },
  HTTP_VERSION_UNKNOWN: {
    code: Code.Unimplemented,
    httpStatus: 505,
    documented: false,
    when: "The request line names another version than HTTP/1.0 or HTTP/1.1.",
  },
  SERVER_BUSY: {
    code: Code.Unavailable,
    httpStatus: 503,
    retry: true,
    when: "The memory for request bodies is full at the moment.",
  },
  SHUTTING_DOWN: { code: Code.Unavailable, httpStatus: 503, retry: true, when: "The server is stopping." },
} as const satisfies Record<string, ReasonRule>;

/** The name of a reason, as callers see it in `error.reason` and in `google.rpc.ErrorInfo`. */
export type Reason = keyof typeof TABLE;

/** Reason → its rule. */
export const REASONS: Readonly<Record<Reason, ReasonRule>> = TABLE;
