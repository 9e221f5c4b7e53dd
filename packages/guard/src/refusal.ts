// Why a call is refused, as data, and how each protocol's clients see it.
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";

/** Why a call is refused. Times are in milliseconds, `expiresAtMs` since the epoch. */
export type Refusal =
  | { readonly reason: "KEY_MISSING" | "KEY_UNKNOWN" }
  /** `problem` is as in ParsedKey. */
  | { readonly reason: "KEY_MALFORMED"; readonly problem: "several" | "shape" | "checksum" }
  | { readonly reason: "KEY_REVOKED" | "KEY_DISABLED"; readonly keyId: string }
  | { readonly reason: "KEY_EXPIRED"; readonly keyId: string; readonly expiresAtMs: number }
  /** The key may only call `services`. */
  | { readonly reason: "SERVICE_REFUSED"; readonly service: string; readonly services: readonly string[] }
  | { readonly reason: "ACCOUNT_SUSPENDED" | "SUBSCRIPTION_REQUIRED"; readonly service: string }
  | { readonly reason: "SUBSCRIPTION_PENDING" | "PAYMENT_FAILED"; readonly service: string; readonly plan: string }
  | { readonly reason: "RATE_LIMITED"; readonly service: string; readonly requestsPerSecond: number; readonly waitMs: number }
  /** `month`: such as `2026-11`. */
  | {
      readonly reason: "QUOTA_EXCEEDED";
      readonly service: string;
      readonly callsPerMonth: number;
      readonly month: string;
      readonly waitMs: number;
    }
  /** Too many unknown keys came from the caller's network. */
  | { readonly reason: "TOO_MANY_KEYS"; readonly waitMs: number }
  /** The store failed, so nothing is known. */
  | { readonly reason: "LIMITS_UNAVAILABLE"; readonly waitMs: number };

const UNAUTHENTICATED = { status: 401, code: Code.Unauthenticated } as const;
const PAYMENT = { status: 402, code: Code.PermissionDenied } as const;
const LIMITED = { status: 429, code: Code.ResourceExhausted } as const;

/** The HTTP status and the RPC code of each reason. Connect and gRPC derive their HTTP status from the code, by their own rules. */
export const REFUSAL_STATUS: Readonly<Record<Refusal["reason"], { readonly status: number; readonly code: Code }>> = {
  KEY_MISSING: UNAUTHENTICATED,
  KEY_MALFORMED: UNAUTHENTICATED,
  KEY_UNKNOWN: UNAUTHENTICATED,
  KEY_REVOKED: UNAUTHENTICATED,
  KEY_DISABLED: UNAUTHENTICATED,
  KEY_EXPIRED: UNAUTHENTICATED,
  SERVICE_REFUSED: { status: 403, code: Code.PermissionDenied },
  ACCOUNT_SUSPENDED: PAYMENT,
  SUBSCRIPTION_REQUIRED: PAYMENT,
  SUBSCRIPTION_PENDING: PAYMENT,
  PAYMENT_FAILED: PAYMENT,
  RATE_LIMITED: LIMITED,
  QUOTA_EXCEEDED: LIMITED,
  TOO_MANY_KEYS: LIMITED,
  LIMITS_UNAVAILABLE: { status: 503, code: Code.Unavailable },
};

const MALFORMED = {
  several: "send exactly one API key",
  shape: "the header does not contain an API key of this server",
  checksum: "the API key is mistyped: its checksum does not match",
} as const;

const counted = (count: number, one: string): string => (count === 1 ? `1 ${one}` : `${count} ${one}s`);
const secondsOf = (waitMs: number): number => Math.max(1, Math.ceil(waitMs / 1000));

/** A sentence for the caller, without its full stop, as Connect's messages are. `keyHeader` is the header that takes the key. */
export function refusalMessage(refusal: Refusal, keyHeader: string): string {
  switch (refusal.reason) {
    case "KEY_MISSING":
      return `send an API key in the ${keyHeader} header`;
    case "KEY_MALFORMED":
      return MALFORMED[refusal.problem];
    case "KEY_UNKNOWN":
      return "the API key is unknown";
    case "KEY_REVOKED":
      return "the API key has been revoked";
    case "KEY_DISABLED":
      return "the API key is disabled";
    case "KEY_EXPIRED":
      return `the API key expired at ${new Date(refusal.expiresAtMs).toISOString()}`;
    case "SERVICE_REFUSED":
      return `the API key may not call ${refusal.service}`;
    case "ACCOUNT_SUSPENDED":
      return "the account is suspended";
    case "SUBSCRIPTION_REQUIRED":
      return `the account has no subscription to ${refusal.service}`;
    case "SUBSCRIPTION_PENDING":
      return `the subscription to ${refusal.service}, plan ${refusal.plan}, is not active yet`;
    case "PAYMENT_FAILED":
      return `the subscription to ${refusal.service}, plan ${refusal.plan}, ended because a payment failed`;
    case "RATE_LIMITED":
      return `the plan allows ${counted(refusal.requestsPerSecond, "request")} per second; retry in ${secondsOf(refusal.waitMs)} s`;
    case "QUOTA_EXCEEDED":
      return `the plan's ${counted(refusal.callsPerMonth, "call")} for ${refusal.month} are used up`;
    case "TOO_MANY_KEYS":
      return `too many unknown API keys came from this network; retry in ${secondsOf(refusal.waitMs)} s`;
    case "LIMITS_UNAVAILABLE":
      return `the API key cannot be checked at the moment; retry in ${secondsOf(refusal.waitMs)} s`;
  }
}

/** A refusal as Connect's error, with `google.rpc.ErrorInfo`, and when to retry in its metadata. */
export function refusalError(refusal: Refusal, keyHeader: string): ConnectError {
  const headers: Record<string, string> = "waitMs" in refusal ? { "retry-after": String(secondsOf(refusal.waitMs)) } : {};
  const error = new ConnectError(refusalMessage(refusal, keyHeader), REFUSAL_STATUS[refusal.reason].code, headers);
  const { reason } = refusal;
  // reason = 1, domain = 2. https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto
  const value = new BinaryWriter()
    .tag(1, WireType.LengthDelimited)
    .string(reason)
    .tag(2, WireType.LengthDelimited)
    .string(DOMAIN)
    .finish();
  error.details.push({ type: "google.rpc.ErrorInfo", value, debug: { reason, domain: DOMAIN } });
  return error;
}

const DOMAIN = "guard";
