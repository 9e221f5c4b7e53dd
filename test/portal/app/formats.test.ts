// Numbers as pages write them.
import { expect, test } from "vitest";
import { formatShareUsed } from "../../../portal/app/formats.ts";

test.each([
  [0, "0%"],
  [0.0197, "1.9%"],
  [0.02, "2%"],
  [0.0999, "9.9%"],
  [0.947, "94%"],
  [0.9999, "99%"],
  [1, "100%"],
])("a used share of %d is written %s", (share, text) => {
  expect(formatShareUsed(share)).toBe(text);
});
