import { expect, test } from "vitest";
import { facts, grouped, table } from "../../src/cli/output.ts";

test("a table is as wide as its widest cells, counts characters, and ends its lines without blanks", () => {
  const text = table(
    [{ heading: "name" }, { heading: "n", align: "right" }, { heading: "note" }],
    [
      ["Zoë 🎲", "7", ""],
      ["a", "1000", "x"],
    ],
  );
  expect(text).toBe("NAME      N  NOTE\nZoë 🎲     7\na      1000  x\n");
});

test("facts are aligned", () => {
  expect(
    facts([
      ["Id", "1"],
      ["Name", "x"],
    ]),
  ).toBe("Id:   1\nName: x\n");
});

test.for([
  [0, "0"],
  [999, "999"],
  [1000, "1 000"],
  [10_000_000, "10 000 000"],
] as const)("%i is written %s", ([count, text]) => {
  expect(grouped(count)).toBe(text);
});
