import { expect, onTestFinished, test, vi } from "vitest";
import { HttpDate } from "../src/headers.ts";
import { createManualClock } from "./fixtures/manual-clock.ts";

test("the time is formatted once a second, however often it is requested", () => {
  const formatted = vi.spyOn(Date.prototype, "toUTCString");
  onTestFinished(() => formatted.mockRestore());
  const clock = createManualClock({ nowMs: Date.UTC(1994, 10, 6, 8, 49, 37) });
  const date = new HttpDate(clock);
  const texts = [0, 0, 999, 1, 60_000].map((ms) => {
    clock.advance(ms);
    return date.text;
  });
  expect(texts).toEqual([
    "Sun, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:38 GMT",
    "Sun, 06 Nov 1994 08:50:38 GMT",
  ]);
  expect(formatted).toHaveBeenCalledTimes(3);
});
