// Flowcharts of the guides, as tables.
import { describe, expect, test } from "vitest";
import { flowchartTable } from "../../portal/content/flowchart.ts";

const escapeText = (text: string): string => text.replaceAll("<", "&lt;");
const cellsOf = (html: string | undefined): readonly (readonly string[])[] =>
  Array.from(html?.matchAll(/<tr>(.*?)<\/tr>/g) ?? [], ([, row = ""]) =>
    Array.from(row.matchAll(/<t[hd]>(.*?)<\/t[hd]>/g), ([, cell = ""]) => cell),
  );

describe("a flowchart of modules", () => {
  test("becomes a table that says what each module is, and which ones it imports", () => {
    const source =
      "flowchart TD\n  %% src\n  app[app.ts: puts a <server> together]\n  http[http: bytes]\n  subgraph below[below: for both]\n    guard[guard]\n  end\n  app --> http & guard\n  http --> guard\n";
    expect(cellsOf(flowchartTable(source, escapeText))).toEqual([
      ["module", "what it is", "imports"],
      ["<code>app.ts</code>", "puts a &lt;server> together", "<code>http</code>, <code>guard</code>"],
      ["<code>http</code>", "bytes", "<code>guard</code>"],
      ["<code>below</code>", "for both", ""],
      ["<code>guard</code>", "", ""],
    ]);
  });

  test.each([
    ["a diagram of another kind", "sequenceDiagram\n  a->>b: call"],
    ["a line that it does not know", "flowchart TD\n  a[a: one]\n  a -.-> b"],
    ["an arrow from nowhere", "flowchart TD\n  a --> b"],
  ])("stays as it is if it is or has %s", (_, source) => {
    expect(flowchartTable(source, escapeText)).toBeUndefined();
  });
});
