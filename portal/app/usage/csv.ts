// Tables as comma-separated values: https://www.rfc-editor.org/rfc/rfc4180

// A spreadsheet would take such a text for a formula, and a customer may name a key so. Some pass over blanks before it, and some take wide letters for
// plain ones. https://owasp.org/www-community/attacks/CSV_Injection
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;

function cell(value: string | number): string {
  const text = typeof value === "string" && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A table with its headings as the first line. */
export const csvOf = (headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [headings, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
