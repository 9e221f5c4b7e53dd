// Tables in GitHub's Markdown.

/** A table with these headings. A cell may contain Markdown; line breaks in it become spaces. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim();

/** The text as code; empty if the text is empty. */
export const code = (text: string): string => (text === "" ? "" : `\`${text}\``);
