// Each of Connect's responses with status 503 says when to retry, whatever the reason.

import type { Exchange, ResponseHeaders } from "@quintet/http";
import { expect, test } from "vitest";
import { failConnect } from "../../../src/gateway/rpc/codecs/connect.ts";
import type { Problem } from "../../../src/problem/problem.ts";
import { REASONS, type Reason } from "../../../src/problem/reason.ts";

function sent(problem: Problem): readonly [status: number, retryAfter: string | undefined] {
  const responses: [number, string | undefined][] = [];
  const respond = (status: number, headers: ResponseHeaders): void => {
    responses.push([status, headers["retry-after"] as string | undefined]);
  };
  failConnect({ respond } as unknown as Exchange, problem, {});
  return responses[0] ?? expect.fail("nothing was sent");
}

test("a second, if the problem does not say it", () => {
  expect(sent({ reason: "UPSTREAM_FAILED", message: "failed" })).toEqual([503, "1"]);
  expect(sent({ reason: "SERVER_BUSY", message: "busy", retryAfterMs: 4200 })).toEqual([503, "5"]);
});

test("only with status 503: a request that is too large stays too large", () => {
  const others = (Object.keys(REASONS) as Reason[])
    .map((reason) => sent({ reason, message: "failed" }))
    .filter(([status]) => status !== 503);
  expect(new Set(others.map(([, retryAfter]) => retryAfter))).toEqual(new Set([undefined]));
  expect(others.map(([status]) => status)).toContain(429);
});
