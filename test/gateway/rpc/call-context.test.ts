// What a handler sees of its call: headers without secrets, the URL, the time that is left, and an early end.
import { createContextKey } from "@connectrpc/connect";
import type { Exchange } from "@quintet/http";
import { describe, expect, test } from "vitest";
import { entitlementsKey } from "../../../src/catalogue/entitlements.ts";
import { UnaryOperation } from "../../../src/gateway/operation.ts";
import { CallContext, CallerValues } from "../../../src/gateway/rpc/call-context.ts";
import type { Codec } from "../../../src/gateway/rpc/codec.ts";
import type { Method } from "../../../src/gateway/rpc/method.ts";
import type { Admitted } from "../../../src/guard/guard.ts";
import { callingAccountKey } from "../../../src/runtime/calling-account.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { LibraryService } from "../../gen/quintet/testing/v1/library_pb.js";

const entitlements = { tokensPerCallMax: 7, farkleBreakdown: true };
const admitted = { caller: { key: entitlementsKey, value: entitlements } } as unknown as Admitted;
const method = { desc: LibraryService.method.echo } as unknown as Method;
const clock = createManualClock({ nowMs: 0 });

function callOf(exchange: Partial<Exchange> = {}, untilMs?: number): CallContext {
  const whole = { method: "POST", path: "/a/B", query: "", headers: {}, isSecure: false, ...exchange } as Exchange;
  const operation = new UnaryOperation(whole, method, { protocolName: "grpc" } as Codec, () => ({}) as never);
  operation.admitted = admitted;
  return new CallContext(operation, clock, untilMs);
}

test("headers are as they were sent, without secrets", () => {
  const call = callOf({
    headers: {
      "x-gateway-key": "secret",
      authorization: "secret",
      cookie: "secret",
      "x-one": "1",
      "x-two": "a, b",
      "x-none": undefined,
    },
  });
  expect([...call.requestHeader]).toEqual([
    ["x-one", "1"],
    ["x-two", "a, b"],
  ]);
  expect(call.requestHeader).toBe(call.requestHeader);
});

describe("the URL", () => {
  test.each([
    ["has the request's authority", { authority: "a.example:1", headers: { host: "b.example" } }, "http://a.example:1/a/B"],
    ["has the scheme https if the request came over TLS", { authority: "b.example", isSecure: true }, "https://b.example/a/B"],
    ["has localhost if the request names no authority", {}, "http://localhost/a/B"],
    ["has the query", { authority: "b.example", query: "x=%20" }, "http://b.example/a/B?x=%20"],
  ])("%s", (_, exchange, expected) => {
    expect(callOf(exchange as Partial<Exchange>).url).toBe(expected);
  });
});

test("the time that is left goes down to 0, and is undefined without a deadline", () => {
  const call = callOf({}, clock.monotonicMs() + 100);
  const left = [call.timeoutMs()];
  clock.advance(60);
  left.push(call.timeoutMs());
  clock.advance(60);
  left.push(call.timeoutMs());
  expect({ left, without: callOf().timeoutMs() }).toEqual({ left: [100, 40, 0], without: undefined });
});

describe("an early end is reported to", () => {
  const problem = { reason: "CANCELLED", message: "The caller has disconnected." } as const;

  test("a handler that listens already", () => {
    const call = callOf();
    const heard: unknown[] = [];
    call.signal.addEventListener("abort", () => heard.push(call.signal.reason.problem));
    call.abort(problem);
    expect(heard).toEqual([problem]);
  });

  test("a handler that checks later", () => {
    const call = callOf();
    call.abort(problem);
    expect({ aborted: call.signal.aborted, reason: call.signal.reason.problem }).toEqual({ aborted: true, reason: problem });
  });
});

test("headers and trailers count as set once the handler has accessed them", () => {
  const call = callOf();
  expect([call.hasMetadata, call.headersSet, call.trailersSet]).toEqual([false, undefined, undefined]);
  call.responseTrailer.set("x-one", "1");
  expect([call.hasMetadata, call.headersSet, [...(call.trailersSet ?? [])]]).toEqual([true, undefined, [["x-one", "1"]]]);
  call.responseHeader.set("x-two", "2");
  expect([...(call.headersSet ?? [])]).toEqual([["x-two", "2"]]);
});

test("the values have the caller's entitlements, and can be set, replaced and deleted", () => {
  const key = createContextKey("default");
  const call = callOf();
  const { values } = call;
  const seen = [values.get(key), values.set(key, "a").get(key), values.set(key, "b").get(key), values.delete(key).get(key)];
  expect({ seen, same: values === call.values, mine: values.get(entitlementsKey) }).toEqual({
    seen: ["default", "a", "b", "default"],
    same: true,
    mine: entitlements,
  });
  expect(
    new CallerValues({ admitted, exchange: { headers: {}, requestId: "" } }).set(key, undefined as never).get(key),
  ).toBeUndefined();
});

test("the calling account is known if a key was required, and undefined otherwise", () => {
  const exchange = { headers: {}, requestId: "1" };
  const accountOf = (identity: Admitted["identity"]): string | undefined =>
    new CallerValues({ admitted: { ...admitted, ...(identity === undefined ? {} : { identity }) }, exchange }).get(
      callingAccountKey,
    );
  expect([accountOf({ accountId: "a1", keyId: "k1", keyLastFour: "abcd" }), accountOf(undefined)]).toEqual(["a1", undefined]);
});
