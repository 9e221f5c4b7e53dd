// The machine's clock, in what a test can hold it to without waiting.
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";

test.each([2 ** 31, 2 ** 40, 359_999_996_400_000])("a call in %d ms is not one that Node would make at once", async (delayMs) => {
  const warnings: string[] = [];
  const note = ({ name }: Error): void => {
    warnings.push(name);
  };
  process.on("warning", note);
  onTestFinished(() => {
    process.off("warning", note);
  });
  const cancel = systemClock.after(delayMs, () => {});
  cancel();
  // Warnings are told in a turn of their own.
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});
