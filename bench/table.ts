// Formats figures and tables of a report as Markdown.

/** The median. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A whole number. */
export const whole = (value: number): string => Math.round(value).toLocaleString("en");

/** A table: its first column is text, `|` in `columns` separates them, and those after the first have figures. */
export function table(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
  const rule = columns.map((column, index) => (index === 0 || column === "aim" ? "---" : "---:"));
  return [columns, rule, ...rows].map(line).join("\n");
}
