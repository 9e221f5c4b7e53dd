import type { Exchange } from "@quintet/http";
import { expect, test } from "vitest";
import type { ObservedCall } from "../../../src/gateway/call-observer.ts";
import type { Method } from "../../../src/gateway/rpc/method.ts";
import { createAccessLines } from "../../../src/operations/access-log/access-lines.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";

const START_MS = Date.UTC(2026, 10, 21, 12);
const EXCHANGE = { status: 200, requestBodyBytes: 14, responseBodyBytes: 310, requestId: "0b5f5e0e-0000-4000-8000-000000000001" };
const CALL: ObservedCall = {
  // Nothing else of an exchange is read.
  exchange: EXCHANGE as Exchange,
  protocolName: "grpc",
  isDryRun: false,
  method: { fullName: "quintet.farkle.v1.FarkleService/Score" } as Method,
  startedMs: 0,
  identity: { accountId: "acme", keyId: "key-1", keyLastFour: "x7Qz" },
};

function start(linesPerSecondMax = 100) {
  const clock = createManualClock({ nowMs: START_MS });
  const written: string[] = [];
  const log = createAccessLines({ linesPerSecondMax, write: (lines) => void written.push(lines), clock });
  const read = (): unknown[] =>
    written
      .join("")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { clock, written, log, read };
}

test("a line says how a call ended, and whose it was", () => {
  const { clock, log, read } = start();
  clock.advance(1.2345);
  log.ended(CALL, "OK", false);
  clock.advance(100);
  expect(read()).toEqual([
    {
      time: "2026-11-21T12:00:00.001Z",
      method: "quintet.farkle.v1.FarkleService/Score",
      protocol: "grpc",
      status: 200,
      code: "ok",
      reason: "OK",
      duration_ms: 1.235,
      request_bytes: 14,
      response_bytes: 310,
      account: "acme",
      key_last_four: "x7Qz",
      request_id: "0b5f5e0e-0000-4000-8000-000000000001",
    },
  ]);
});

test("what is unknown about a refused call is null", () => {
  const { log, read } = start();
  const exchange = { ...EXCHANGE, status: 0 } as Exchange;
  log.ended({ ...CALL, exchange, method: undefined, identity: undefined }, "METHOD_UNKNOWN", true);
  log.flush();
  expect(read()).toMatchObject([
    { method: null, status: null, code: "unimplemented", reason: "METHOD_UNKNOWN", account: null, key_last_four: null },
  ]);
});

test("lines are passed on together, at most ten times a second", () => {
  const { clock, written, log } = start();
  for (let call = 0; call < 20; call++) {
    log.ended(CALL, "OK", false);
    clock.advance(10);
  }
  clock.advance(100);
  expect(written.map((lines) => lines.trim().split("\n").length)).toEqual([10, 10]);
});

test("calls beyond a second's limit are left out, and a line says how many", () => {
  const { clock, log, read } = start(2);
  for (let call = 0; call < 7; call++) {
    log.ended(CALL, "OK", false);
  }
  clock.advance(1100);
  log.ended(CALL, "OK", false);
  log.flush();
  expect(read()).toEqual([
    expect.objectContaining({ reason: "OK" }),
    expect.objectContaining({ reason: "OK" }),
    { time: "2026-11-21T12:00:01.000Z", omitted: 5 },
    expect.objectContaining({ reason: "OK" }),
  ]);
  expect(clock.pending).toBe(0);
});

test("the number of lines left out is written when the log ends", () => {
  const { log, read } = start(1);
  log.ended(CALL, "OK", false);
  log.ended(CALL, "OK", false);
  log.flush();
  expect(read()).toHaveLength(2);
  expect(read()[1]).toEqual({ time: "2026-11-21T12:00:00.000Z", omitted: 1 });
});
