// Turns a scenario's expected outcome into the whole response that a client should see in its protocol.
import { type Client, REQUEST_ID } from "./client.ts";
import type { Expected, Scenario } from "./scenarios.ts";
import type { Seen } from "./seen.ts";

const META = { timestamp: "2026-11-21T12:00:00.000Z", request_id: REQUEST_ID };
const MONTH_SECONDS = 2_592_000;
const MONTH_LEFT_SECONDS = 820_800;
const PLANS = { free: { rate: 10, calls: 1000 }, slow: { rate: 1, calls: 1000 }, single: { rate: 10, calls: 1 } } as const;

// The result of the roll that a scenario sends by default: the 1 scores, the 2 does not.
const SCORE = {
  rest: {
    score: 100,
    farkle: false,
    hot_dice: false,
    breakdown: [{ combination: "single_one", dice: [1], points: 100 }],
    dead_dice: [2],
  },
  rpc: { score: 100, breakdown: [{ combination: "COMBINATION_SINGLE_ONE", dice: [1], points: 100 }], deadDice: [2] },
};

/** The dice of that roll. */
export const DICE = [1, 2] as const;

function limitHeaders({ limits }: Scenario): Record<string, string> {
  if (limits === undefined) {
    return {};
  }
  const { plan, second, month } = limits;
  const { rate, calls } = PLANS[plan];
  return {
    ratelimit: `"second";r=${second};t=1, "month";r=${month};t=${MONTH_LEFT_SECONDS}`,
    "ratelimit-policy": `"second";q=${rate};w=1;quintet-burst=${rate}, "month";q=${calls};w=${MONTH_SECONDS}`,
  };
}

function contentHeaders(client: Client, ok: boolean): Record<string, string> {
  switch (client.protocol) {
    case "rest":
      return { "content-type": "application/json; charset=utf-8", "x-content-type-options": "nosniff" };
    case "connect":
      return { "content-type": ok && client.name === "Connect binary" ? "application/proto" : "application/json" };
    case "grpc-web":
      return { "content-type": "application/grpc-web+proto" };
    case "grpc":
      return { "content-type": "application/grpc+proto" };
  }
}

const sorted = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).toSorted(([a], [b]) => (a < b ? -1 : 1)));

function statusOf(client: Client, expected: Expected): number {
  if (expected.kind !== "problem" || client.protocol === "grpc-web" || client.protocol === "grpc") {
    return 200;
  }
  return client.protocol === "rest" ? expected.restStatus : expected.connectStatus;
}

// A request that is refused before its service is known gets none of the headers that depend on a key.
const isBeforeCall = (client: Client, expected: Expected): boolean =>
  expected.kind === "problem" && (expected.code === "unimplemented" || statusOf(client, expected) === 414);

/** The whole response. */
export function expectedSeen(client: Client, scenario: Scenario, expected: Expected): Seen {
  const ok = expected.kind !== "problem";
  const isDryRun = expected.kind === "admitted";
  const isRest = client.protocol === "rest";
  const headers = sorted({
    ...contentHeaders(client, ok),
    "x-request-id": REQUEST_ID,
    ...limitHeaders(scenario),
    ...(isDryRun && { "x-quintet-dry-run": "admitted" }),
    ...(!ok && { link: `</errors/${expected.reason}>; rel="help"` }),
    ...(!ok && expected.retryAfter !== undefined && { "retry-after": expected.retryAfter }),
    ...(!ok && expected.pushback !== undefined && /^grpc/.test(client.protocol) && { "grpc-retry-pushback-ms": expected.pushback }),
    ...(!isBeforeCall(client, expected) && {
      "cache-control": isDryRun || (ok && client.name === "REST GET with body") ? "no-store" : "private",
    }),
    ...(!ok && statusOf(client, expected) === 401 && { "www-authenticate": 'ApiKey realm="quintet", header="x-gateway-key"' }),
  });
  const status = client.showsStatus ? { status: statusOf(client, expected) } : {};
  if (isDryRun) {
    const message = "Dry run: the call was not made. It would be admitted, as far as a dry run checks its input.";
    const envelope = { data: null, meta: META, status: "ok", message, success: true };
    return { ...status, code: "ok", headers, ...(isRest ? { body: envelope } : { body: {}, trailers: {} }) };
  }
  if (ok) {
    return isRest
      ? {
          ...status,
          code: "ok",
          headers,
          body: { data: SCORE.rest, meta: META, status: "ok", message: "Roll scored", success: true },
        }
      : { ...status, code: "ok", headers, body: SCORE.rpc, trailers: {} };
  }
  const { reason, message, metadata, details = [] } = expected;
  const info = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason,
    domain: "quintet.example",
    ...(metadata !== undefined && { metadata }),
  };
  const all = [info, ...details];
  if (!isRest) {
    return { ...status, code: expected.code, headers, body: undefined, message, details: all };
  }
  const code = expected.code.toUpperCase();
  const error = { reason, code, details: all };
  return { ...status, code, headers, body: { data: null, meta: META, status: "error", message, success: false, error } };
}
