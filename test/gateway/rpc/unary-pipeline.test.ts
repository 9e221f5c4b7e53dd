// However a unary call ends, it is settled once, with the outcome that its caller sees. The connections are real; the test moves the
// clock.
import type { ClientHttp2Session } from "node:http2";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test } from "vitest";
import { dialHttp2, fetchHttp2, until } from "../../../packages/http/test/listening.ts";
import type { Admitted, Guard } from "../../../src/guard/guard.ts";
import { Failure } from "../../../src/problem/failure.ts";
import { createLog } from "../../../src/runtime/log.ts";
import type { DataService } from "../../../src/services/service.ts";
import type { ManualClock } from "../../fixtures/manual-clock.ts";
import { createStack } from "../../fixtures/stack.ts";
import { LibraryService } from "../../gen/quintet/testing/v1/library_pb.js";
import { createScene } from "../../guard/scene.ts";

const CALL_TIMEOUT_MS = 20_000;

interface Stage {
  readonly session: ClientHttp2Session;
  readonly head: Record<string, string>;
  readonly clock: ManualClock;
  readonly settled: string[];
  /** The reasons with which handlers' signals were aborted. */
  readonly aborted: unknown[];
  /** How many calls have reached the handler. */
  readonly started: () => number;
  /** How often the guard has been called. */
  readonly requested: () => number;
  /** Lets a waiting guard decide. */
  readonly release: () => void;
}

async function serve(handler: (context: HandlerContext) => unknown, { guardWaits = false } = {}): Promise<Stage> {
  const scene = createScene();
  const settled: string[] = [];
  const aborted: unknown[] = [];
  const accessCheck = Promise.withResolvers<void>();
  let started = 0;
  let requested = 0;
  const guard: Guard = {
    async admit(admissionRequest) {
      requested += 1;
      const decision = await scene.guard.admit(admissionRequest);
      if (guardWaits) {
        await accessCheck.promise;
      }
      const settle: Admitted["settle"] = (outcome) => {
        settled.push(outcome);
        (decision as Admitted).settle(outcome);
      };
      return { ...(decision as Admitted), settle };
    },
  };
  const implementation = {
    echo(_: unknown, context: HandlerContext) {
      started += 1;
      context.signal.addEventListener("abort", () => aborted.push(context.signal.reason.problem.reason));
      return handler(context);
    },
  };
  const service = { name: "radio", desc: LibraryService, implementation, close: async () => {} } as unknown as DataService;
  const { clock } = scene;
  const listener = createStack({ services: [service], guard, clock, log: createLog("silent"), callTimeoutMsMax: CALL_TIMEOUT_MS });
  onTestFinished(() => listener.close());
  const { port } = await listener.listen("127.0.0.1", 0);
  const head = {
    ":method": "POST",
    ":path": `/${LibraryService.typeName}/Echo`,
    "content-type": "application/json",
    "x-gateway-key": scene.key.secret,
  };
  return {
    session: dialHttp2(port),
    head,
    clock,
    settled,
    aborted,
    started: () => started,
    requested: () => requested,
    release: accessCheck.resolve,
  };
}

const never = (): Promise<never> => new Promise(() => {});

describe("a call that ends by itself", () => {
  const refuse = (problem: ConstructorParameters<typeof Failure>[0]) => () => {
    throw new Failure(problem);
  };
  test.each<{ name: string; handler: () => unknown; status: number; settled: string }>([
    { name: "is settled as OK", handler: () => ({}), status: 200, settled: "OK" },
    {
      name: "is settled with the reason of a failure",
      handler: refuse({ reason: "NOT_FOUND", message: "no" }),
      status: 404,
      settled: "NOT_FOUND",
    },
    {
      name: "is settled as INTERNAL if the handler throws anything else",
      handler: () => Promise.reject(new TypeError("no")),
      status: 500,
      settled: "INTERNAL",
    },
    {
      name: "is settled with the reason that matches the code of a ConnectError",
      handler: () => {
        throw new ConnectError("no", Code.NotFound);
      },
      status: 404,
      settled: "NOT_FOUND",
    },
  ])("$name", async ({ handler, status, settled }) => {
    const stage = await serve(handler);
    const response = await fetchHttp2(stage.session, stage.head, "{}");
    expect({ status: response.status, settled: stage.settled, aborted: stage.aborted }).toEqual({
      status,
      settled: [settled],
      // Work that the handler started and did not wait for is aborted when the call fails.
      aborted: settled === "OK" ? [] : [settled],
    });
  });
});

describe("a caller that goes away", () => {
  // Resolves when the server has noticed: another call on the same connection has completed.
  async function goAway(stage: Stage, sent: string | undefined, when: () => boolean): Promise<void> {
    const away = new AbortController();
    const stream = stage.session.request(stage.head, { signal: away.signal });
    stream.on("error", () => {});
    if (sent === undefined) {
      stream.write("{");
    } else {
      stream.end(sent);
    }
    await until(when);
    const closed = new Promise((resolve) => stream.once("close", resolve));
    away.abort();
    await closed;
    await fetchHttp2(stage.session, { ":method": "GET", ":path": "/nothing" });
  }

  test("while the guard decides is settled as cancelled, and the handler is not called", async () => {
    const stage = await serve(() => ({}), { guardWaits: true });
    await goAway(stage, "{}", () => stage.requested() === 1);
    expect(stage.settled).toEqual([]);
    stage.release();
    await until(() => stage.settled.length > 0);
    expect({ settled: stage.settled, started: stage.started() }).toEqual({ settled: ["CANCELLED"], started: 0 });
  });

  test("while its body is read is settled as cancelled, and the handler is not called", async () => {
    const stage = await serve(() => ({}));
    await goAway(stage, undefined, () => stage.clock.hasAlarmIn(CALL_TIMEOUT_MS));
    await until(() => stage.settled.length > 0);
    expect({ settled: stage.settled, started: stage.started() }).toEqual({ settled: ["CANCELLED"], started: 0 });
  });

  test("while the handler works is settled as cancelled at once; the handler's signal aborts, and its response is dropped", async () => {
    const accessCheck = Promise.withResolvers<object>();
    const stage = await serve(() => accessCheck.promise);
    await goAway(stage, "{}", () => stage.started() === 1);
    await until(() => stage.settled.length > 0);
    accessCheck.resolve({});
    await new Promise(setImmediate);
    expect({ settled: stage.settled, aborted: stage.aborted }).toEqual({ settled: ["CANCELLED"], aborted: ["CANCELLED"] });
    expect(stage.clock.hasAlarmIn(CALL_TIMEOUT_MS)).toBe(false);
  });
});

describe("a deadline", () => {
  test.each([
    { name: "from the caller ends the call", header: "1500", endsAfterMs: 1500 },
    {
      name: "that is too long is reduced to the longest time of a call",
      header: "9999999999",
      endsAfterMs: CALL_TIMEOUT_MS,
    },
    { name: "that the caller does not set is the longest time of a call", header: undefined, endsAfterMs: CALL_TIMEOUT_MS },
  ])("$name", async ({ header, endsAfterMs }) => {
    const stage = await serve(never);
    const timeout: Record<string, string> = header === undefined ? {} : { "connect-timeout-ms": header };
    const response = fetchHttp2(stage.session, { ...stage.head, ...timeout }, "{}");
    await until(() => stage.started() === 1);
    stage.clock.advance(endsAfterMs - 1);
    expect(stage.settled).toEqual([]);
    stage.clock.advance(1);
    const { status, body } = await response;
    expect({ status, message: JSON.parse(body).message, settled: stage.settled, aborted: stage.aborted }).toEqual({
      status: 504,
      message: `The call took longer than its deadline of ${endsAfterMs} ms; it was not counted.`,
      settled: ["DEADLINE_EXCEEDED"],
      aborted: ["DEADLINE_EXCEEDED"],
    });
  });

  test("applies while the body is read", async () => {
    const stage = await serve(() => ({}));
    const response = fetchHttp2(stage.session, { ...stage.head, "connect-timeout-ms": "100" }, undefined, true);
    await until(() => stage.clock.hasAlarmIn(100));
    stage.clock.advance(100);
    await until(() => stage.settled.length > 0);
    // The server waits only a limited time for the rest of the body.
    stage.clock.advance(10_000);
    expect({ status: (await response).status, settled: stage.settled, started: stage.started() }).toEqual({
      status: 504,
      settled: ["DEADLINE_EXCEEDED"],
      started: 0,
    });
  });

  test.each(["0", "0000000000"])("of %s has already passed, and the handler is not called", async (header) => {
    const stage = await serve(() => ({}));
    const { status } = await fetchHttp2(stage.session, { ...stage.head, "connect-timeout-ms": header }, "{}");
    expect({ status, settled: stage.settled, started: stage.started() }).toEqual({
      status: 504,
      settled: ["DEADLINE_EXCEEDED"],
      started: 0,
    });
  });

  test("that is malformed is refused before the body is read", async () => {
    const stage = await serve(() => ({}));
    const { status } = await fetchHttp2(stage.session, { ...stage.head, "connect-timeout-ms": "soon" }, "{");
    expect({ status, settled: stage.settled }).toEqual({ status: 400, settled: ["MALFORMED_REQUEST"] });
  });

  test("has its timer cancelled when the call ends", async () => {
    const stage = await serve(() => ({}));
    await fetchHttp2(stage.session, stage.head, "{}");
    expect(stage.clock.hasAlarmIn(CALL_TIMEOUT_MS)).toBe(false);
  });
});
