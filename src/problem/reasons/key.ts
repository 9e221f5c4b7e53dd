// Reasons to do with the callers of the data services: their key, plan and limits.
import { Code } from "@connectrpc/connect";
import { ALL_OPERATIONS, type ReasonRules, WITH_KEY } from "../reason-rule.ts";

const KEY_REFUSED = {
  code: Code.Unauthenticated,
  httpStatus: 401,
  authenticate: "key",
  fault: "key",
  operations: WITH_KEY,
} as const;

/** The entries of the table. */
export const KEY_REASONS = {
  KEY_MISSING: {
    ...KEY_REFUSED,
    missing: true,
    when: "There is no `x-gateway-key` header.",
    whatToDo: "Send your key in that header.",
  },
  KEY_INVALID: {
    ...KEY_REFUSED,
    when: "The header contains no key, or an unknown one.",
    whatToDo: "Check for typos.",
  },
  KEY_EXPIRED: {
    ...KEY_REFUSED,
    when: "The key has expired, or it was rotated and its grace period is over.",
    whatToDo: "Use the new key, or create one.",
  },
  KEY_REVOKED: {
    ...KEY_REFUSED,
    when: "The key is revoked or disabled.",
    whatToDo: "Enable it again if it is disabled; otherwise create a new key.",
  },
  KEY_SERVICE_REFUSED: {
    code: Code.PermissionDenied,
    httpStatus: 403,
    fault: "key",
    when: "The key is valid, but may not call this service or method.",
    whatToDo: "Use a key that may call it, or allow the service for this key.",
    example: "This API key may call radio and bitcoin, not farkle. Use a key that may call farkle.",
    operations: WITH_KEY,
  },
  KEY_ADDRESS_REFUSED: {
    code: Code.PermissionDenied,
    httpStatus: 403,
    fault: "key",
    when: "The key may only be used from certain addresses, and the call comes from another.",
    whatToDo: "Call from an allowed address, or add the caller's address, which the message names, to the key's allowed addresses.",
    example:
      "This API key may not be used from 203.0.113.7. Call from one of its allowed addresses, or add this one: PATCH /account/v1/keys/2f0c8a52-7a1e-4f0e-9a53-0c1f6f7b9d11.",
    operations: WITH_KEY,
  },
  KEY_ORIGIN_REFUSED: {
    code: Code.PermissionDenied,
    httpStatus: 403,
    fault: "key",
    when: "The key may only be used by pages from certain origins, and the call has no `Origin` header or names another origin.",
    whatToDo: "Call from a page on an allowed origin. For calls from outside a browser, use another key.",
    example:
      "This API key may not be used by pages from https://staging.example.com. Call from a page on one of its allowed origins, or add this one: PATCH /account/v1/keys/2f0c8a52-7a1e-4f0e-9a53-0c1f6f7b9d11.",
    operations: WITH_KEY,
  },
  SUBSCRIPTION_REQUIRED: {
    code: Code.PermissionDenied,
    httpStatus: 402,
    fault: "subscription",
    when: "The account has no active subscription to the service, or is suspended.",
    whatToDo: "Subscribe to the service. If the plan is paid, wait until it is activated.",
    operations: WITH_KEY,
  },
  PAYMENT_FAILED: {
    code: Code.PermissionDenied,
    httpStatus: 402,
    fault: "subscription",
    when: "The account's paid plan of the service ended because a payment failed; or the card was declined, so the plan was not changed.",
    whatToDo: "Use another card, and choose a plan again.",
    operations: [...WITH_KEY, { access: ["session"], kind: "named" }],
  },
  RATE_LIMITED: {
    aliases: "429, too many requests",
    code: Code.ResourceExhausted,
    httpStatus: 429,
    fault: "rate",
    retry: true,
    temporary: true,
    when: "One of these limits was reached: the plan's requests per second, the account's calls to AccountService, attempts to sign in, calls without a key, or one network's calls with a public key.",
    whatToDo: "Wait as long as `Retry-After` says, then try again.",
    operations: ALL_OPERATIONS,
  },
  QUOTA_EXCEEDED: {
    code: Code.ResourceExhausted,
    httpStatus: 429,
    fault: "quota",
    retry: true,
    when: "The plan's calls for this month are used up.",
    whatToDo: "Wait for the next month (`Retry-After` says when it begins), or choose a larger plan.",
    operations: WITH_KEY,
  },
  KEY_RATE_LIMITED: {
    code: Code.ResourceExhausted,
    httpStatus: 429,
    fault: "rate",
    retry: true,
    temporary: true,
    when: "The key's own limit on requests per second was reached. Other keys of the account are not affected.",
    whatToDo: "Wait as long as `Retry-After` says, then try again, or raise the key's limit.",
    operations: WITH_KEY,
  },
  KEY_QUOTA_EXCEEDED: {
    code: Code.ResourceExhausted,
    httpStatus: 429,
    fault: "key",
    retry: true,
    when: "The key has reached its own limit on calls per month. Other keys of the account are not affected.",
    whatToDo: "Wait for the next month (`Retry-After` says when it begins), raise the key's limit, or use another key.",
    operations: WITH_KEY,
  },
  PLAN_LIMIT: {
    code: Code.PermissionDenied,
    httpStatus: 403,
    fault: "plan",
    when: "The plan does not allow this request, for example because the batch is too large.",
    whatToDo: "Request fewer items, or choose a larger plan.",
    example:
      "Your plan includes up to 3 tokens in one call, and you requested 5. Request fewer at a time, or choose a larger plan: GET /account/v1/plans?service=token-price lists them.",
    operations: [{ access: ["key"], kind: "named" }],
  },
  LIMITS_UNAVAILABLE: {
    code: Code.Unavailable,
    httpStatus: 503,
    fault: "server",
    retry: true,
    temporary: true,
    when: "The limits cannot be checked at the moment.",
    whatToDo: "Try again after `Retry-After`.",
    operations: WITH_KEY,
  },
} as const satisfies ReasonRules;
