// When a server deletes expired data.
import { expect, test } from "vitest";
import { createLog } from "../../src/runtime/log.ts";
import { beginExpiry } from "../../src/store/store-jobs.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";

function begin(responses: readonly (boolean | "fails")[]) {
  const clock = createManualClock({ nowMs: 0 });
  const atMs: number[] = [];
  const deleteExpired = async () => {
    const response = responses[atMs.length] ?? false;
    atMs.push(clock.nowMs());
    if (response === "fails") {
      throw new Error("away");
    }
    return response;
  };
  const end = beginExpiry({ store: { deleteExpired }, clock, log: createLog("silent") });
  const pass = async (ms: number) => {
    clock.advance(ms);
    await new Promise(setImmediate);
  };
  return { clock, atMs, end, pass };
}

test("it runs a minute after the start and hourly, repeats soon if there is more, and survives a failure", async () => {
  const { atMs, pass } = begin([true, true, false, "fails"]);
  for (const ms of [59_999, 1, 200, 200, 3_599_999, 1, 3_600_000]) {
    await pass(ms);
  }
  expect(atMs).toEqual([60_000, 60_200, 60_400, 3_660_400, 7_260_400]);
});

test("it ends with the server, after the work in progress", async () => {
  const { clock, atMs, end } = begin([]);
  clock.advance(60_000);
  await end();
  expect([clock.pending, atMs.length]).toEqual([0, 1]);
  clock.advance(3_600_000);
  expect(atMs).toHaveLength(1);
});
