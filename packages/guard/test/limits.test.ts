import { expect, test } from "vitest";
import { limitHeaders } from "../src/limits.ts";

test("the headers have both limits and what is left of each", () => {
  const limits = {
    plan: { name: "free", requestsPerSecond: 5, callsPerMonth: 20_000 },
    secondRemaining: 4,
    secondResetSeconds: 1,
    monthRemaining: 19_999,
    monthResetSeconds: 12_345,
    monthSeconds: 2_592_000,
  };
  expect(limitHeaders(limits)).toEqual({
    "ratelimit-policy": '"second";q=5;w=1;quintet-burst=5, "month";q=20000;w=2592000',
    ratelimit: '"second";r=4;t=1, "month";r=19999;t=12345',
  });
});
