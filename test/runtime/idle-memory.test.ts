// Memory that a thread took under load is returned when the load is over, and nobody has to wait for that during the load.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { releaseIdleMemory } from "../../src/runtime/idle-memory.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";

const MIB = 1024 * 1024;

test.each([
  { what: "that has grown and is idle returns memory once", mib: [100, 100], busyPart: [0.05, 0.05], released: [10_000] },
  { what: "that has grown again returns memory again", mib: [100, 140], busyPart: [0, 0], released: [10_000, 20_000] },
  { what: "that is busy waits until it is idle", mib: [100, 100], busyPart: [0.2, 0], released: [20_000] },
  { what: "that has grown little is left alone", mib: [40, 41], busyPart: [0, 0], released: [] },
])("a thread's heap $what", ({ mib, busyPart, released }) => {
  const clock = createManualClock({ nowMs: 0 });
  const releasedAtMs: number[] = [];
  let [look, bytes] = [0, 10 * MIB];
  const stop = releaseIdleMemory(clock, {
    bytes: () => bytes,
    busyPart: () => busyPart[look - 1] ?? 1,
    release() {
      releasedAtMs.push(clock.monotonicMs());
      bytes = 70 * MIB;
    },
  });
  for (const grown of mib) {
    look += 1;
    bytes = grown * MIB;
    clock.advance(10_000);
  }
  stop();
  clock.advance(60_000);
  expect(releasedAtMs).toEqual(released);
});

test("returned memory leaves the process", () => {
  const script = `
    import { threadHeap } from ${JSON.stringify(new URL("../../src/runtime/idle-memory.ts", import.meta.url).href)};
    const heap = threadHeap();
    let kept = [];
    for (let i = 0; i < 1_000_000; i += 1) kept.push({ i, list: [i] });
    kept = undefined;
    const before = process.memoryUsage.rss();
    heap.release();
    console.log(JSON.stringify({ before, after: process.memoryUsage.rss(), hasGc: "gc" in globalThis }));`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  const { before, after, hasGc } = JSON.parse(output);
  expect({ isReturned: before - after > 50 * MIB, hasGc }).toEqual({ isReturned: true, hasGc: false });
});
