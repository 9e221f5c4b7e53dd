// Tables as CSV: what a spreadsheet or a parser would take for something else than the text that a customer chose.
import { expect, test } from "vitest";
import { csvOf } from "../../../portal/app/usage/csv.ts";

test("a table has its headings first, and each line ends as RFC 4180 says", () => {
  expect(
    csvOf(
      ["service", "calls"],
      [
        ["farkle", 12],
        ["radio", 0],
      ],
    ),
  ).toBe("service,calls\r\nfarkle,12\r\nradio,0\r\n");
});

test.each([
  { value: "a,b", cell: '"a,b"' },
  { value: 'a "shop"', cell: '"a ""shop"""' },
  { value: "two\nlines", cell: '"two\nlines"' },
  { value: "two\rlines", cell: '"two\rlines"' },
  // Formulas: https://owasp.org/www-community/attacks/CSV_Injection
  { value: "=1+1", cell: "'=1+1" },
  { value: "+1", cell: "'+1" },
  { value: "-1", cell: "'-1" },
  { value: "@SUM(A1)", cell: "'@SUM(A1)" },
  { value: "\t=1", cell: "'\t=1" },
  { value: "\r=1", cell: '"\'\r=1"' },
  { value: '=HYPERLINK("https://example.com","a")', cell: '"\'=HYPERLINK(""https://example.com"",""a"")"' },
  // A number is none.
  { value: -1, cell: "-1" },
  { value: "", cell: "" },
])("$value is written as $cell", ({ value, cell }) => {
  expect(csvOf(["name"], [[value]])).toBe(`name\r\n${cell}\r\n`);
});
