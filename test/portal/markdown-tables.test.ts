// The tables of guides, which a phone shows as lists if they explain something.
import { expect, test } from "vitest";
import { renderMarkdown } from "../../portal/content/markdown.ts";

const EXPLANATION = "The faces of 1 to 6 dice, in any order, each from 1 to 6.";
const html = (...lines: readonly string[]): string => renderMarkdown(lines.join("\n"), () => undefined, "Dice").html;

test("each cell but the first has the heading of its column, whatever is in the cells", () => {
  const table = html(
    "| parameter | the `type` | meaning |",
    "| --- | ---: | --- |",
    `| \`dice\` | numbers | ${EXPLANATION} |`,
    `| **a** [b](c) |  | "Any" |`,
  );
  expect(table).toContain('<table class="stacked">');
  expect(table.match(/<td[^>]*>/g)).toEqual([
    "<td>",
    '<td data-heading="The type" align="right">',
    '<td data-heading="Meaning">',
    "<td>",
    '<td data-heading="The type" align="right">',
    '<td data-heading="Meaning">',
  ]);
});

test("a long list of values is enough", () => {
  const values = Array.from({ length: 9 }, (_, index) => `\`COMBINATION_${index}\``).join(", ");
  const table = html("| field | type | meaning |", "| --- | --- | --- |", `| kind | ${values} | What it is. |`);
  expect(table).toContain('<table class="stacked">');
});

test("a formula before the last column is enough", () => {
  const formula = "market cap / average on-chain transaction value a day over 90 days";
  const table = html("| indicator | formula | overvalued |", "| --- | --- | --- |", `| nvt | ${formula} | percentile over 90 |`);
  expect(table).toContain('<table class="stacked">');
});

test.each([
  ["two columns", ["| parameter | meaning |", "| --- | --- |", `| dice | ${EXPLANATION} |`]],
  ["short values, which readers compare", ["| plan | calls | rate |", "| --- | --- | --- |", "| free | 650 | 2 |"]],
])("a table with %s stays a table", (_, lines) => {
  const table = html(...lines);
  expect(table).toContain("<table>");
  expect(table).not.toContain("data-heading");
});
