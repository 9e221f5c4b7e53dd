// The outcomes of a call. Each scenario creates its customer and says what is sent and how every protocol should respond.
import { expect } from "vitest";
import type { KeyChanges } from "../../../src/store/records.ts";
import type { Gateway } from "../../fixtures/gateway.ts";
import type { TestPlans } from "../../fixtures/plan-file.ts";
import type { Call } from "./client.ts";

/** The plans that the scenarios need. */
export const PLANS: TestPlans = {
  farkle: [
    { name: "free", callsPerMonth: 1000, requestsPerSecond: 10, farkleBreakdown: true },
    { name: "slow", callsPerMonth: 1000, requestsPerSecond: 1 },
    { name: "single", callsPerMonth: 1, requestsPerSecond: 10 },
    { name: "paid", callsPerMonth: 1000, requestsPerSecond: 10, priceMinor: 800 },
  ],
};

/** The expected outcome, independent of the protocol. */
export type Expected =
  | { readonly kind: "score" }
  /** The response to a dry run. */
  | { readonly kind: "admitted" }
  | {
      readonly kind: "problem";
      readonly reason: string;
      /** The HTTP status in REST. */
      readonly restStatus: number;
      readonly connectStatus: number;
      readonly code: string;
      readonly message: string;
      readonly metadata?: Readonly<Record<string, string>>;
      readonly details?: readonly unknown[];
      readonly retryAfter?: string;
      /** gRPC's and gRPC-Web's `grpc-retry-pushback-ms`. */
      readonly pushback?: string;
    };

/** One row of the matrix. */
export interface Scenario {
  readonly name: string;
  /** How many calls with the same key precede the one that is compared. They must succeed. */
  readonly callsBefore?: number;
  prepare(gateway: Gateway): Promise<Partial<Pick<Call, "key" | "dice" | "method">>>;
  readonly expected: Expected;
  /** The `ratelimit` header's month and second after the call; undefined if the subscription is not known. */
  readonly limits?: {
    readonly plan: "free" | "slow" | "single";
    readonly second: number;
    readonly month: number;
  };
}

const subscribed =
  (plan: string, more: Partial<Call> = {}) =>
  async (gateway: Gateway) => ({ key: (await gateway.makeCustomer({ farkle: plan })).secret, ...more });

// Pays by card for a plan, and then no longer.
async function unpaid(gateway: Gateway): Promise<Pick<Call, "key">> {
  const { secret, key } = await gateway.makeCustomer({});
  const nowMs = gateway.clock.nowMs();
  const facts = {
    id: `sub_${key.id}`,
    accountId: key.accountId,
    service: "farkle",
    ...{ status: "past_due", isPaused: false },
    item: { planId: "farkle/paid/1", priceMinor: 800, currency: "EUR", isOneMonth: true },
    ...{ unpaidSinceMs: nowMs, cancelsAtMs: null, endedBecause: null, invoiceUrl: null, paidMinor: 0, createdAtMs: nowMs },
  } as const;
  const input = { fallsToFree: false, newId: `subscription-${key.id}` };
  await gateway.store.applyPayment({ ...facts, entitledUntilMs: nowMs + 1 }, { ...input, version: 0 });
  await gateway.store.applyPayment({ ...facts, entitledUntilMs: nowMs }, { ...input, version: 1 });
  return { key: secret };
}

const limited = (changes: KeyChanges) => async (gateway: Gateway) => {
  const { secret, key } = await gateway.makeCustomer({ farkle: "free" });
  await gateway.store.updateKey(key.id, changes);
  return { key: secret };
};

const refusedFrom = (reason: string, message: string): Expected => ({
  kind: "problem",
  reason,
  restStatus: 403,
  connectStatus: 403,
  code: "permission_denied",
  message,
});

const unauthenticated = (reason: string, message: string): Expected => ({
  kind: "problem",
  reason,
  restStatus: 401,
  connectStatus: 401,
  code: "unauthenticated",
  message,
});

const INVALID = "must be a whole number from 1 to 6, not 7";
const QUOTA_MESSAGE = "The single plan's 1 calls for 2026-11 are used up; the quota resets at 2026-12-01T00:00:00Z.";
/** What a message becomes that ends in the path of the customer's key. */
const endingInKey = (message: string): string =>
  expect.stringMatching(new RegExp(`^${message.replaceAll(".", String.raw`\.`)}[\\da-f-]{36}\\.$`));
const KEY_QUOTA_MESSAGE = endingInKey(
  "This API key's own quota of 1 call for 2026-11 is used up; it resets at 2026-12-01T00:00:00Z. To raise it: PATCH /account/v1/keys/",
);
const KEY_RATE_MESSAGE = endingInKey(
  "This API key has its own limit of 1 request per second; retry in 1 s, or raise the limit: PATCH /account/v1/keys/",
);
const OTHER_ADDRESS = endingInKey(
  "This API key may not be used from 127.0.0.1. Call from one of its allowed addresses, or add this one: PATCH /account/v1/keys/",
);
/** From the gateway's start to the end of the month: nine and a half days. */
const MONTH_LEFT_SECONDS = 820_800;

/** The rows. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: "ok",
    prepare: subscribed("free"),
    expected: { kind: "score" },
    limits: { plan: "free", second: 9, month: 999 },
  },
  {
    name: "no key",
    prepare: async () => ({}),
    expected: unauthenticated(
      "KEY_MISSING",
      "Send your API key in the x-gateway-key header. To get one, sign up at /app; or POST /account/v1/sign-up, follow the link if you get an e-mail, then POST /account/v1/keys.",
    ),
  },
  {
    name: "bad key",
    prepare: async () => ({ key: `qk_live_${"0".repeat(32)}000000` }),
    expected: unauthenticated("KEY_INVALID", "The API key is mistyped: its checksum does not match. Copy the whole key again."),
  },
  {
    name: "revoked",
    async prepare(gateway) {
      const { secret, key } = await gateway.makeCustomer({ farkle: "free" });
      await gateway.store.revokeKey(key.id);
      return { key: secret };
    },
    expected: unauthenticated(
      "KEY_REVOKED",
      "This API key has been revoked. Use another one, or create a new one: POST /account/v1/keys.",
    ),
  },
  {
    name: "allowed address",
    prepare: limited({ allowedAddresses: ["10.0.0.0/8", "127.0.0.0/8"] }),
    expected: { kind: "score" },
    limits: { plan: "free", second: 9, month: 999 },
  },
  {
    name: "other address",
    prepare: limited({ allowedAddresses: ["10.0.0.0/8"] }),
    expected: refusedFrom("KEY_ADDRESS_REFUSED", OTHER_ADDRESS),
  },
  {
    name: "no origin",
    prepare: limited({ allowedOrigins: ["https://app.example.com"] }),
    expected: refusedFrom(
      "KEY_ORIGIN_REFUSED",
      "This API key may only be used by pages from its allowed origins, and the call has no Origin header. Use another key for calls from outside a browser.",
    ),
  },
  {
    name: "no permission",
    prepare: limited({ services: ["radio", "bitcoin"] }),
    expected: {
      ...{ kind: "problem", reason: "KEY_SERVICE_REFUSED", restStatus: 403, connectStatus: 403, code: "permission_denied" },
      message: "This API key may call radio and bitcoin, not farkle. Use a key that may call farkle.",
      metadata: { service: "farkle" },
    },
  },
  {
    name: "no subscription",
    prepare: async (gateway) => ({ key: (await gateway.makeCustomer({ radio: "free" })).secret }),
    expected: {
      kind: "problem",
      reason: "SUBSCRIPTION_REQUIRED",
      restStatus: 402,
      connectStatus: 403,
      code: "permission_denied",
      message:
        'This account has no active subscription to farkle. PUT /account/v1/subscriptions/farkle {"plan":"free"} starts a free plan.',
      metadata: { service: "farkle" },
    },
  },
  {
    name: "plan that ended unpaid",
    prepare: unpaid,
    expected: {
      kind: "problem",
      reason: "PAYMENT_FAILED",
      restStatus: 402,
      connectStatus: 403,
      code: "permission_denied",
      message:
        "This account's subscription to farkle, plan paid, ended because a payment failed. Choose a plan again at /app/subscriptions.",
      metadata: { service: "farkle", plan: "paid" },
    },
  },
  {
    name: "rate",
    callsBefore: 1,
    prepare: subscribed("slow"),
    expected: {
      kind: "problem",
      reason: "RATE_LIMITED",
      restStatus: 429,
      connectStatus: 429,
      code: "resource_exhausted",
      message: "The slow plan allows 1 request per second; retry in 1 s.",
      metadata: { service: "farkle", plan: "slow" },
      details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retry_delay: "1s" }],
      retryAfter: "1",
      pushback: "1000",
    },
    limits: { plan: "slow", second: 0, month: 999 },
  },
  {
    name: "quota",
    callsBefore: 1,
    prepare: subscribed("single"),
    expected: {
      kind: "problem",
      reason: "QUOTA_EXCEEDED",
      restStatus: 429,
      connectStatus: 429,
      code: "resource_exhausted",
      message: QUOTA_MESSAGE,
      metadata: { service: "farkle", plan: "single" },
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.QuotaFailure",
          violations: [{ subject: "subscription:farkle", description: QUOTA_MESSAGE }],
        },
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retry_delay: `${MONTH_LEFT_SECONDS}s` },
      ],
      retryAfter: String(MONTH_LEFT_SECONDS),
      pushback: "-1",
    },
    limits: { plan: "single", second: 9, month: 0 },
  },
  {
    name: "rate of the key",
    callsBefore: 1,
    prepare: limited({ requestsPerSecond: 1 }),
    expected: {
      kind: "problem",
      reason: "KEY_RATE_LIMITED",
      restStatus: 429,
      connectStatus: 429,
      code: "resource_exhausted",
      message: KEY_RATE_MESSAGE,
      metadata: { service: "farkle" },
      details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retry_delay: "1s" }],
      retryAfter: "1",
      pushback: "1000",
    },
  },
  {
    name: "cap of the key",
    callsBefore: 1,
    prepare: limited({ callsPerMonth: 1 }),
    expected: {
      kind: "problem",
      reason: "KEY_QUOTA_EXCEEDED",
      restStatus: 429,
      connectStatus: 429,
      code: "resource_exhausted",
      message: KEY_QUOTA_MESSAGE,
      metadata: { service: "farkle" },
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.QuotaFailure",
          violations: [{ subject: expect.stringMatching(/^key:[\da-f-]{36}$/), description: KEY_QUOTA_MESSAGE }],
        },
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retry_delay: `${MONTH_LEFT_SECONDS}s` },
      ],
      retryAfter: String(MONTH_LEFT_SECONDS),
      pushback: "-1",
    },
  },
  {
    name: "invalid input",
    prepare: subscribed("free", { dice: [1, 7] }),
    expected: {
      kind: "problem",
      reason: "INVALID_ARGUMENT",
      restStatus: 400,
      connectStatus: 400,
      code: "invalid_argument",
      message: `dice[1] ${INVALID}`,
      details: [
        { "@type": "type.googleapis.com/google.rpc.BadRequest", field_violations: [{ field: "dice[1]", description: INVALID }] },
      ],
    },
    limits: { plan: "free", second: 9, month: 999 },
  },
  {
    name: "unknown method",
    prepare: subscribed("free", { method: "Nope" }),
    expected: {
      kind: "problem",
      reason: "METHOD_UNKNOWN",
      restStatus: 404,
      connectStatus: 404,
      code: "unimplemented",
      message: "There is no such method here. quintet.farkle.v1.FarkleService has Score.",
    },
  },
  {
    name: "oversize body",
    prepare: subscribed("free", { dice: Array<number>(70_000).fill(6) }),
    expected: {
      kind: "problem",
      reason: "BODY_TOO_LARGE",
      restStatus: 413,
      connectStatus: 429,
      code: "resource_exhausted",
      message: "The body is longer than 4 KiB.",
      pushback: "-1",
    },
    limits: { plan: "free", second: 9, month: 999 },
  },
];
