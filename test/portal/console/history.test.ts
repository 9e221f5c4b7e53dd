// The console's history is bounded, tolerates foreign data in the storage, and works without storage.
import { expect, test } from "vitest";
import {
  HISTORY_MAX,
  type HistoryEntry,
  type HistoryStorage,
  readHistory,
  withEntry,
} from "../../../portal/app/console/history.ts";

const entry = (atMs: number): HistoryEntry => ({
  slug: "farkle/score",
  query: "?dice=1",
  protocol: "rest",
  isDryRun: false,
  outcome: "OK",
  ms: 3,
  bytes: 200,
  atMs,
});

function storageWith(text: string | null): HistoryStorage & { text: string | null } {
  return {
    text,
    getItem() {
      return this.text;
    },
    setItem(_, value) {
      this.text = value;
    },
  };
}

const forbidden: HistoryStorage = {
  getItem() {
    throw new DOMException("denied", "SecurityError");
  },
  setItem() {
    throw new DOMException("full", "QuotaExceededError");
  },
};

test("it keeps the latest calls, newest first", () => {
  const storage = storageWith(null);
  let history = readHistory(storage, "nora");
  for (let atMs = 0; atMs <= HISTORY_MAX; atMs++) {
    history = withEntry(storage, "nora", history, entry(atMs));
  }
  expect([history.length, history[0], history.at(-1)?.atMs]).toEqual([HISTORY_MAX, entry(HISTORY_MAX), 1]);
  expect(readHistory(storage, "nora")).toEqual(history);
});

test("it is not shown to another account", () => {
  const storage = storageWith(null);
  withEntry(storage, "nora", [], entry(1));
  expect([readHistory(storage, "demo"), readHistory(storage, "nora")]).toEqual([[], [entry(1)]]);
});

test.each([
  ["not JSON", "{"],
  ["nobody's list", "[]"],
  ["no list", '{"account":"nora","entries":1}'],
  ["nothing", null],
])("it is empty if the storage holds %s", (_, text) => {
  expect(readHistory(storageWith(text), "nora")).toEqual([]);
});

test("it lasts as long as the page if storage is forbidden", () => {
  expect(withEntry(forbidden, "nora", readHistory(forbidden, "nora"), entry(1))).toEqual([entry(1)]);
});
