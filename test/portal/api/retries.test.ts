// How a page retries calls that were refused.
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, expect, test, vi } from "vitest";
import { RetryInfoSchema } from "../../../gen/google/rpc/error_details_pb.js";
import { createApi } from "../../../portal/api/api.ts";

afterEach(() => vi.unstubAllGlobals());

test("calls that were refused together are retried one after another, after the delay that the server names", () => {
  vi.stubGlobal("location", { origin: "http://127.0.0.1" });
  const { retryDelay } = createApi({ onProblem: () => {} }).queries.getDefaultOptions().queries ?? {};
  const refused = new ConnectError("Too many calls from this account; retry in 1 s.", Code.ResourceExhausted, undefined, [
    { desc: RetryInfoSchema, value: { retryDelay: { seconds: 0n, nanos: 200_000_000 } } },
  ]);
  const delays = Array.from({ length: 4 }, () => (typeof retryDelay === "function" ? retryDelay(0, refused) : undefined));
  expect(delays).toEqual([300, 400, 500, 600]);
});
