// The young generation grows with the objects that survive, unless it is held. In its own process, because flags apply to all of it.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const FLAGS = fileURLToPath(new URL("../../src/runtime/v8-flags.ts", import.meta.url));

/**
 * The size of the young generation, in MiB, while 40 MiB of surviving objects are created: the median of samples. V8 finishes
 * collections of the old generation in tasks of the event loop, and lets the young one outgrow its limit until then.
 */
function youngMib(prepare: string): number {
  const program = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { capYoungGeneration, tuneToLoad, tuneToServe } from ${JSON.stringify(FLAGS)};
    tuneToLoad();
    tuneToServe();
    ${prepare}
    const kept = [];
    const sizes = [];
    for (let at = 0; at < 1_000_000; at += 1) {
      kept.push({ at });
      if (at % 10_000 === 0) {
        await new Promise((resolve) => setImmediate(resolve));
        sizes.push(getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size);
      }
    }
    console.log(sizes.toSorted((a, b) => a - b)[sizes.length / 2] / 2 ** 20, kept.length);
  `;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
  return Number.parseFloat(output);
}

test("the young generation stays small while it is held, and grows when it is released", () => {
  const held = youngMib("capYoungGeneration();");
  expect(held).toBeGreaterThan(0);
  expect(held).toBeLessThanOrEqual(4);
  expect(youngMib("capYoungGeneration()();")).toBeGreaterThan(2 * held);
});
