import { Code, ConnectError } from "@connectrpc/connect";
import { TransportError } from "@quintet/http";
import { expect, test } from "vitest";
import { bodyWithFailures, problemOfThrown } from "../../src/gateway/transport-problem.ts";
import { Failure } from "../../src/problem/failure.ts";

const FAULT = { reason: "SERVER_BUSY", message: "m", retryAfterMs: 1000 } as const;

test.each([
  { what: "a fault of the transport", thrown: new TransportError(FAULT), reason: "SERVER_BUSY" },
  { what: "a failure of a handler", thrown: new Failure({ reason: "NOT_FOUND", message: "m" }), reason: "NOT_FOUND" },
  { what: "a defect", thrown: new Error("m"), reason: "INTERNAL" },
])("$what is the problem $reason", ({ thrown, reason }) => {
  expect(problemOfThrown(thrown).reason).toBe(reason);
});

test("a body that fails with a transport fault fails with an error that Connect accepts as its own", async () => {
  async function* given(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array([1]);
    throw new TransportError(FAULT);
  }
  const chunks = bodyWithFailures(given());
  expect((await chunks.next()).value).toEqual(new Uint8Array([1]));
  const thrown = await chunks.next().catch((error: unknown) => error);
  expect(ConnectError.from(thrown)).toMatchObject({ code: Code.Unavailable, problem: FAULT });
});
