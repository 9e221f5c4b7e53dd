// Small token lists for tests, read and indexed as the service does it.
import { systemClock } from "../../../src/runtime/clock.ts";
import type { SandboxDocument } from "../../../src/sandbox/stand-ins/tokenlist/lists.ts";
import { createYielder } from "../../../src/services/tokenlist/cooperative-yield.ts";
import { buildTokenIndex, type TokenIndex } from "../../../src/services/tokenlist/index/token-index.ts";
import { type CheckedList, checkList } from "../../../src/services/tokenlist/lists/checked-list.ts";
import { readListDocument } from "../../../src/services/tokenlist/lists/list-document.ts";

/** An address whose last digits are `number`, in hexadecimal. */
export const address = (number: number): string => `0x${number.toString(16).padStart(40, "0")}`;

/** A valid row of a list in JSON, with `changes`. */
export const row = (number: number, changes: object = {}): object => ({
  chainId: 1,
  address: address(number),
  name: `Token ${number}`,
  symbol: `T${number}`,
  decimals: 18,
  ...changes,
});

/** A valid list in JSON, with `changes`. */
export const listDocument = (tokens: readonly unknown[], changes: object = {}): SandboxDocument => ({
  name: "A List",
  timestamp: "2026-11-01T00:00:00.000Z",
  version: { major: 1, minor: 2, patch: 3 },
  tokens,
  ...changes,
});

/** Checks a list of these rows. */
export const checked = (rows: readonly unknown[]): Promise<CheckedList> =>
  checkList(readListDocument(listDocument(rows)), createYielder(systemClock));

/** Indexes lists of these rows by name; null for a list that has not been read. */
export async function indexOf(lists: Readonly<Record<string, readonly unknown[] | null>>): Promise<TokenIndex> {
  const named = Object.entries(lists).map(async ([name, rows]) => ({
    name,
    checked: rows === null ? undefined : await checked(rows),
  }));
  return buildTokenIndex(await Promise.all(named), createYielder(systemClock));
}
