// A page of Explore calls with the session's key, and with a new one after that has expired.
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.js";
import { FarkleService } from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import { ConsoleKeyError, type ConsoleKeys } from "../../../portal/api/console-key.ts";
import { problemOf } from "../../../portal/api/problem.ts";
import { withConsoleKey } from "../../../portal/explore/explore-api.ts";

const refusal = (reason: string): ConnectError =>
  new ConnectError("refused", Code.Unauthenticated, undefined, [
    { desc: ErrorInfoSchema, value: { reason, domain: "quintet.example" } },
  ]);

// A server that accepts one key, and a page that has these keys in turn.
function pageWithKeys(acceptedKey: string, reason: string, keys: readonly string[]) {
  const seen: (string | null)[] = [];
  let left = [...keys];
  const consoleKeys = {
    get: async () => left[0] ?? Promise.reject(new ConsoleKeyError("SESSION_MISSING", "Sign in.")),
    discard: (key: string) => {
      left = left.filter((one) => one !== key);
    },
  } satisfies Pick<ConsoleKeys, "get" | "discard">;
  const transport = createRouterTransport(
    ({ service }) =>
      service(FarkleService, {
        score(_, { requestHeader }) {
          const key = requestHeader.get("x-gateway-key");
          seen.push(key);
          if (key !== acceptedKey) {
            throw refusal(reason);
          }
          return { score: 100 };
        },
      }),
    { transport: { interceptors: [withConsoleKey(consoleKeys)] } },
  );
  return { seen, score: () => createClient(FarkleService, transport).score({ dice: [1] }) };
}

test("each call has the key", async () => {
  const { seen, score } = pageWithKeys("good", "KEY_REVOKED", ["good"]);
  expect((await score()).score).toBe(100);
  expect(seen).toEqual(["good"]);
});

test.each(["KEY_EXPIRED", "KEY_REVOKED", "KEY_INVALID"])(
  "a call that fails with %s is repeated once with a new key",
  async (reason) => {
    const { seen, score } = pageWithKeys("good", reason, ["old", "good"]);
    expect((await score()).score).toBe(100);
    expect(seen).toEqual(["old", "good"]);
  },
);

test.each([
  ["another reason", "RATE_LIMITED", ["old", "good"], ["old"], "RATE_LIMITED"],
  ["the second key refused too", "KEY_REVOKED", ["old", "older", "good"], ["old", "older"], "KEY_REVOKED"],
])("with %s it fails", async (_, reason, keys, tried, problem) => {
  const { seen, score } = pageWithKeys("good", reason, keys);
  const failed = await score().catch(problemOf);
  expect([seen, failed]).toEqual([tried, expect.objectContaining({ reason: problem })]);
});

test.each([
  ["before the first key was made", []],
  ["when its key was revoked", ["old"]],
])("if the session had ended %s, it fails like a refusal by the server", async (_, keys) => {
  const { seen, score } = pageWithKeys("good", "KEY_REVOKED", keys);
  const failed = await score().catch(problemOf);
  expect([seen, failed]).toEqual([keys, expect.objectContaining({ reason: "SESSION_MISSING", isSessionLost: true })]);
});
