// The benchmark writes its figures into the documentation, where it finds them by the text around them.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PLACES } from "../../bench/figures-in-docs.ts";

test.each(PLACES)("%s has a place for the figure %s", (path, figure) => {
  expect(readFileSync(path, "utf8")).toMatch(figure);
});
