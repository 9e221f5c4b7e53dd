// Tables as CSV: values chosen by customers that a spreadsheet or a parser could misinterpret.
import { expect, test } from "vitest";
import { csvOf } from "../../../portal/app/usage/csv.ts";

test("a table begins with a byte order mark, for Excel, and its headings, and each line ends as in RFC 4180", () => {
  expect(
    csvOf(
      ["service", "calls"],
      [
        ["farkle", 12],
        ["radio", 0],
      ],
    ),
  ).toBe("\ufeffservice,calls\r\nfarkle,12\r\nradio,0\r\n");
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
  { value: "\t=1", cell: '"\'\t=1"' },
  { value: "\r=1", cell: '"\'\r=1"' },
  { value: '=HYPERLINK("https://example.com","a")', cell: '"\'=HYPERLINK(""https://example.com"",""a"")"' },
  // If a spreadsheet splits at a character other than the comma, quotes inside a line have no effect.
  { value: "a;=1+1", cell: '"a;\'=1+1"' },
  { value: "a; @SUM(A1);b", cell: '"a;\' @SUM(A1);b"' },
  { value: 'a;"=1+1"', cell: `"a;'""=1+1"""` },
  { value: "a\t-1", cell: '"a\t\'-1"' },
  { value: "a|+1", cell: '"a|\'+1"' },
  { value: "a\n=1", cell: '"a\n\'=1"' },
  { value: "a;\uff1d1", cell: '"a;\'\uff1d1"' },
  { value: "a;b", cell: '"a;b"' },
  { value: "a-1", cell: "a-1" },
  // A number is not a formula.
  { value: -1, cell: "-1" },
  { value: "", cell: "" },
])("$value is written as $cell", ({ value, cell }) => {
  expect(csvOf(["name"], [[value]])).toBe(`\ufeffname\r\n${cell}\r\n`);
});
