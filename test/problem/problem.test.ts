import { Code, type ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { FarkleService } from "../../gen/quintet/farkle/v1/farkle_pb.js";
import { Failure, problemOf } from "../../src/problem/failure.ts";

test("a failure that a handler throws reaches the caller through Connect's own adapter with its code, message and details", async () => {
  const failure = new Failure({ reason: "PLAN_LIMIT", message: "Your plan does not include it.", metadata: { limit: "3" } });
  const transport = createRouterTransport(({ service }) => {
    service(FarkleService, {
      score() {
        throw failure;
      },
    });
  });
  const seen = await createClient(FarkleService, transport)
    .score({ dice: [1] })
    .catch((error: ConnectError) => [
      error.code,
      error.rawMessage,
      error.findDetails(ErrorInfoSchema).map(({ reason, domain, metadata }) => ({ reason, domain, metadata })),
    ]);
  expect(seen).toEqual([
    Code.PermissionDenied,
    "Your plan does not include it.",
    [{ reason: "PLAN_LIMIT", domain: "quintet.example", metadata: { limit: "3" } }],
  ]);
});

test("a failure has the problem that it was created from", () => {
  const problem = { reason: "NOT_FOUND", message: "There is no such token." } as const;
  expect(problemOf(new Failure(problem))).toBe(problem);
});
