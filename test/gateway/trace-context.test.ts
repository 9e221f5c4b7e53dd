import { expect, test } from "vitest";
import { parseTraceparent } from "../../src/gateway/trace-context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

test.each([
  [`00-${traceId}-${spanId}-01`, { traceId, spanId, flags: 1 }],
  [`00-${traceId}-${spanId}-00`, { traceId, spanId, flags: 0 }],
  [` 00-${traceId}-${spanId}-01 `, { traceId, spanId, flags: 1 }],
  [`01-${traceId}-${spanId}-03-more`, { traceId, spanId, flags: 3 }],
  [`00-${traceId}-${spanId}-01-more`, undefined],
  [`ff-${traceId}-${spanId}-01`, undefined],
  [`00-${"0".repeat(32)}-${spanId}-01`, undefined],
  [`00-${traceId}-${"0".repeat(16)}-01`, undefined],
  [`00-${traceId.toUpperCase()}-${spanId}-01`, undefined],
  [`00-${traceId}-${spanId}`, undefined],
  ["", undefined],
  [undefined, undefined],
])("the traceparent %j is read as %o", (header, context) => {
  expect(parseTraceparent(header)).toEqual(context);
});
