// Lists that may be very long: printed page by page, so that a list of any length needs little memory.

/** One column of a table: its heading, and `right` for numbers. */
export interface Column {
  readonly heading: string;
  readonly align?: "right";
}

/** Writes the text of a list's pages, one after another. */
export interface LongList<Row> {
  page(rows: readonly Row[]): string;
  /** What follows the last page. */
  end(): string;
}

/**
 * A table: headings in upper case, two spaces between columns, no trailing spaces. Each row has a string for each column. A column widens
 * when a page needs it, and stays wide.
 */
export function longTable(columns: readonly Column[]): LongList<readonly string[]> {
  const widths = columns.map(() => 0);
  const lengthOf = (text: string): number => [...text].length;
  const pad = (text: string, index: number): string => {
    const blanks = " ".repeat((widths[index] ?? 0) - lengthOf(text));
    return columns[index]?.align === "right" ? blanks + text : text + blanks;
  };
  let isFirst = true;
  return {
    page(rows) {
      const lines = isFirst ? [columns.map(({ heading }) => heading.toUpperCase()), ...rows] : rows;
      isFirst = false;
      for (const line of lines) {
        for (const [index, text] of line.entries()) {
          widths[index] = Math.max(widths[index] ?? 0, lengthOf(text));
        }
      }
      return lines.map((line) => `${line.map(pad).join("  ").trimEnd()}\n`).join("");
    },
    end: () => "",
  };
}

/** One JSON document with a list of this name, for `--json`. */
export function longJson(name: string): LongList<object> {
  let isFirst = true;
  return {
    page(rows) {
      const items = rows.map((row) => JSON.stringify(row, null, 2).replaceAll(/^/gm, "    "));
      const text = rows.length === 0 ? "" : `${isFirst ? `{\n  "${name}": [\n` : ",\n"}${items.join(",\n")}`;
      isFirst &&= rows.length === 0;
      return text;
    },
    end: () => (isFirst ? `{\n  "${name}": []\n}\n` : "\n  ]\n}\n"),
  };
}
