import { expect, test } from "vitest";
import { periodSeconds } from "../../../../src/services/tokenprice/handlers/request-checks.ts";

test.each([
  ["1m", 60],
  ["5m", 300],
  ["90m", 5400],
  ["1h", 3600],
  ["1d", 86_400],
  ["3w", 1_814_400],
  ["999w", 604_195_200],
])("%s is %i seconds", (period, seconds) => {
  expect(periodSeconds(period)).toBe(seconds);
});

test.each(["", "m", "1", "60", "0h", "01h", "1000d", "1M", "1d12h", "1.5h", "-1h", " 1h", "1h\n", "1y"])(
  "%j is not a period",
  (period) => {
    expect(periodSeconds(period)).toBeUndefined();
  },
);
