// The machine's clock, as far as a test can check it without waiting.
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";

test.each([2 ** 31, 2 ** 40, 359_999_996_400_000])(
  "a call that is due in %d ms is not made at once, as Node would make it",
  async (delayMs) => {
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
    // Warnings are emitted in their own turn of the event loop.
    await new Promise(setImmediate);
    expect(warnings).toEqual([]);
  },
);
