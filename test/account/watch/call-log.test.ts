import { expect, test } from "vitest";
import { CallLog } from "../../../src/account/watch/call-log.ts";
import { createLog, type Log } from "../../../src/runtime/log.ts";
import { StoreUnavailable } from "../../../src/store/store-errors.ts";
import type { LoggedCall } from "../../../src/store/usage-records.ts";

const calls = (from: number, count: number): readonly LoggedCall[] =>
  Array.from({ length: count }, (_, index) => ({ id: `call-${from + index}` }) as LoggedCall);

function open(responses: readonly (Promise<void> | Error)[] = []) {
  const written: string[][] = [];
  const lines: string[] = [];
  const log: Log = { ...createLog("silent"), warn: (_: unknown, text?: string) => void lines.push(text ?? "") };
  const store = {
    async logCalls(batch: readonly LoggedCall[]) {
      written.push(batch.map(({ id }) => id));
      const response = responses[written.length - 1];
      if (response instanceof Error) {
        throw response;
      }
      await response;
    },
  };
  return { callLog: new CallLog({ store, log }), written, lines };
}

test("writes calls that arrive while it is writing in the next statement, at most 500 calls in each", async () => {
  const first = Promise.withResolvers<void>();
  const { callLog, written } = open([first.promise]);
  callLog.add(calls(0, 1));
  callLog.add(calls(1, 300));
  callLog.add(calls(301, 300));
  expect(written.map((batch) => batch.length)).toEqual([1]);
  first.resolve();
  await callLog.close();
  expect(written.map((batch) => [batch.length, batch[0]])).toEqual([
    [1, "call-0"],
    [500, "call-1"],
    [100, "call-501"],
  ]);
});

test("drops calls that the store does not accept, logs that once, and continues", async () => {
  const { callLog, written, lines } = open([new StoreUnavailable("down"), new StoreUnavailable("down")]);
  for (const number of [0, 1, 2]) {
    callLog.add(calls(number, 1));
    await callLog.close();
  }
  expect([written, lines.length]).toEqual([[["call-0"], ["call-1"], ["call-2"]], 1]);
  expect(callLog.dropped).toBe(2);
});

test("keeps a bounded number of calls while the store does not respond", async () => {
  const first = Promise.withResolvers<void>();
  const { callLog, written } = open([first.promise]);
  callLog.add(calls(0, 1));
  callLog.add(calls(1, 30_000));
  callLog.add(calls(30_001, 10));
  first.resolve();
  await callLog.close();
  expect(written.flat().length).toBe(20_001);
  expect(callLog.dropped).toBe(10_010);
});
