// Writes lists as CSV, for spreadsheets and data frames. https://www.rfc-editor.org/rfc/rfc4180
import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { fieldConversion } from "./rest-encoder.ts";

export const CSV = "text/csv";

type Row = Readonly<Record<string, unknown>>;

/** Writes the rows of a response, with a header. */
export type WriteTable = (output: Message) => string;

const isCell = ({ fieldKind, message }: DescField): boolean =>
  fieldKind === "scalar" || fieldKind === "enum" || message?.typeName === "google.protobuf.Timestamp";

const isList = ({ fieldKind, message }: DescField): boolean => fieldKind === "list" && message !== undefined;

/**
 * The writer for a message with one list of rows, whose fields are single values. A row may have one list of such rows itself, as the
 * points of a chart: then each of these is a line, after the values of its row. Undefined if the message has no such list.
 */
export function compileTable({ fields }: DescMessage): WriteTable | undefined {
  const lists = fields.filter(isList);
  const [list] = lists;
  const own = list?.message?.fields ?? [];
  const inner = own.filter(isList);
  const innerFields = inner[0]?.message?.fields ?? [];
  const cells = own.filter((field) => !inner.includes(field));
  if (list === undefined || lists.length > 1 || inner.length > 1 || ![...cells, ...innerFields].every(isCell)) {
    return undefined;
  }
  const names = [...cells, ...innerFields].map(({ name }) => name);
  const rowsOf = fieldConversion(list);
  const nested = inner[0]?.name;
  return (output) => {
    const rows = rowsOf(output) as readonly Row[];
    const lines =
      nested === undefined ? rows : rows.flatMap((row) => (row[nested] as readonly Row[]).map((one) => ({ ...row, ...one })));
    return `${names.join()}\r\n${lines.map((line) => `${names.map((name) => cellOf((line as Row)[name])).join()}\r\n`).join("")}`;
  };
}

// Spreadsheets run text that begins like a formula. https://owasp.org/www-community/attacks/CSV_Injection
const FORMULA = /^[=+\-@\t\r]/;

function cellOf(value: unknown): string {
  if (typeof value !== "string") {
    return value === undefined ? "" : String(value);
  }
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
