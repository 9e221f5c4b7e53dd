// What the commands print: tables for people, one JSON document for programs.

import { type Column, longTable } from "./long-lists.ts";

/** A whole table: headings in upper case, two spaces between columns, no trailing spaces. Each row has a string for each column. */
export const table = (columns: readonly Column[], rows: readonly (readonly string[])[]): string => longTable(columns).page(rows);

/** Names and values, one pair per line. */
export function facts(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${`${name}:`.padEnd(width + 2)}${value}\n`).join("");
}

/** One JSON document, for `--json`. */
export function json(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** A number for people, such as `1 234 567`: easy to read, without a comma or dot, whose meaning depends on the country. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, " ");
}

/** A number of things for people: `1 account`, `1 234 accounts`. */
export const counted = (count: number, one: string): string => `${grouped(count)} ${one}${count === 1 ? "" : "s"}`;

/** A time for people, UTC, to the second: `2026-11-21 12:00:00`. */
export function second(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace("T", " ");
}

/** A time for people, UTC, to the minute: `2026-11-21 12:00`. */
export function minute(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace("T", " ");
}
