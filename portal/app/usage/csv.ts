// Tables as comma-separated values: https://www.rfc-editor.org/rfc/rfc4180

// Text that a spreadsheet would run as a formula: a customer may have named a key like that. Some spreadsheets skip spaces before a
// formula, and some treat full-width characters as plain ones. Where the comma is the decimal separator, they split lines at semicolons and
// ignore quotes inside a line. So every part that another separator or a line break would turn into a cell is checked.
// https://owasp.org/www-community/attacks/CSV_Injection
const FORMULA = /(^|[;|\t\r\n])(?=["'\s]*[=+\-@\uff1d\uff0b\uff0d\uff20])|^(?=[\t\r\n])/g;

function cell(value: string | number): string {
  const text = typeof value === "string" ? value.replaceAll(FORMULA, "$1'") : String(value);
  return /[",;|\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// Without this mark, Excel takes UTF-8 for the system's old encoding.
const BYTE_ORDER_MARK = "\ufeff";

/** A table with its headings as the first line. */
export const csvOf = (headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  BYTE_ORDER_MARK + [headings, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
