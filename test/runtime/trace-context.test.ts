import { expect, test } from "vitest";
import { parseTraceContext, propagatedHeaders } from "../../src/runtime/trace-context.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const ID = "6f1c8a52-0d9e-4b7a-9f55-0c1e2d3f4a5b";

/** The headers passed on from a call with these headers, without the request id. */
function passedOn(headers: Record<string, string>): Record<string, string> {
  const { "x-request-id": id, ...trace } = propagatedHeaders(ID, parseTraceContext(headers));
  expect(id).toBe(ID);
  return trace;
}

test.for<[traceparent: string | undefined, sent: string | undefined]>([
  [undefined, undefined],
  ["", undefined],
  [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`],
  [`00-${TRACE}-${SPAN}-00`, `00-${TRACE}-${SPAN}-00`],
  // Flags that version 00 does not have.
  [`00-${TRACE}-${SPAN}-ff`, `00-${TRACE}-${SPAN}-03`],
  // A later version is passed on as the known one.
  [`cc-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`],
  [`cc-${TRACE}-${SPAN}-01-what-the-future-brings`, `00-${TRACE}-${SPAN}-01`],
  [`cc-${TRACE}-${SPAN}-01.x`, undefined],
  [`01-${TRACE}-${SPAN}-03-more`, `00-${TRACE}-${SPAN}-03`],
  [`00-${TRACE}-${SPAN}-01-x`, undefined],
  [`ff-${TRACE}-${SPAN}-01`, undefined],
  [`00-${"0".repeat(32)}-${SPAN}-01`, undefined],
  [`00-${TRACE}-${"0".repeat(16)}-01`, undefined],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, undefined],
  [`00-${TRACE}-${SPAN}`, undefined],
  [`00-${TRACE}-${SPAN}-1`, undefined],
  [`00-${TRACE.slice(1)}-${SPAN}-01`, undefined],
  [` 00-${TRACE}-${SPAN}-01`, undefined],
  // Two headers.
  [`00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`, undefined],
])("traceparent %j is passed on as %j", ([traceparent, sent]) => {
  expect(passedOn(traceparent === undefined ? {} : { traceparent })).toEqual(sent === undefined ? {} : { traceparent: sent });
});

const member = (index: number): string => `m${index}=${index}`;

test.for<[tracestate: string, isSent: boolean]>([
  ["congo=t61rcWkgMzE", true],
  ["rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", true],
  ["rojo=1 , congo=2", true],
  ["fw529a3039@dt=FfAAEB4o8,4@nr=0-0", true],
  [Array.from({ length: 32 }, (_, index) => member(index)).join(","), true],
  [Array.from({ length: 33 }, (_, index) => member(index)).join(","), false],
  [`a=${"b".repeat(256)}`, true],
  [`a=${"b".repeat(257)}`, false],
  [`a=${"b".repeat(250)},b=${"b".repeat(250)},c=${"b".repeat(20)}`, false],
  ["", false],
  ["a", false],
  ["a=", false],
  ["A=1", false],
  ["a=1,,b=2", false],
  ["a=1,a=2", false],
  ["a=b=c", false],
  ["a=\u00e4", false],
  ["a=1\tb", false],
  // A caller may put a key anywhere.
  ["vendor=qk_live_0123456789abcdef0123456789abcdef012345", false],
  ["vendor=x-qk_test_0123", false],
])("tracestate %j is passed on: %j", ([tracestate, isSent]) => {
  const traceparent = `00-${TRACE}-${SPAN}-01`;
  expect(passedOn({ traceparent, tracestate })).toEqual(isSent ? { traceparent, tracestate } : { traceparent });
});

test("tracestate is not passed on without traceparent", () => {
  expect(passedOn({ tracestate: "congo=t61rcWkgMzE" })).toEqual({});
});
