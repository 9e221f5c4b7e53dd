import fc from "fast-check";
import { expect, test } from "vitest";
import { parseRetryAfter, RETRY_AFTER_MAX_MS } from "../../src/upstream/fetch-json.ts";

const nowMs = Date.parse("2026-11-21T12:00:00Z");

test.each([
  ["0", 0],
  ["7", 7000],
  [" 7 ", 7000],
  ["999999999999999", RETRY_AFTER_MAX_MS],
  ["Sat, 21 Nov 2026 12:00:30 GMT", 30_000],
  ["Saturday, 21-Nov-26 12:00:30 GMT", 30_000],
  ["Sat Nov 21 12:00:30 2026 GMT", 30_000],
  ["Sat, 21 Nov 2026 11:00:00 GMT", 0],
  ["Sun, 21 Nov 2027 12:00:00 GMT", RETRY_AFTER_MAX_MS],
])("%j is %j ms", (header, ms) => {
  expect(parseRetryAfter(header, nowMs)).toBe(ms);
});

test.each([undefined, "", "-1", "1.5", "soon", "2026-11-21T12:00:30Z", "1e3", "Sat, 99 Nov 2026 99:00:30 GMT"])(
  "%j is ignored",
  (header) => {
    expect(parseRetryAfter(header, nowMs)).toBeUndefined();
  },
);

test("the time is within its bounds for any input", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.nat().map(String)), (header) => {
      const ms = parseRetryAfter(header, nowMs) ?? 0;
      expect(ms >= 0 && ms <= RETRY_AFTER_MAX_MS).toBe(true);
    }),
  );
});
