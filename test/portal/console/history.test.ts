// The console's history is bounded, survives what others left in the storage, and does without storage.
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
  let history = readHistory(storage);
  for (let atMs = 0; atMs <= HISTORY_MAX; atMs++) {
    history = withEntry(storage, history, entry(atMs));
  }
  expect([history.length, history[0], history.at(-1)?.atMs]).toEqual([HISTORY_MAX, entry(HISTORY_MAX), 1]);
  expect(readHistory(storage)).toEqual(history);
});

test.each([
  ["not JSON", "{"],
  ["no list", '{"a":1}'],
  ["nothing", null],
])("it is empty where the storage holds %s", (_, text) => {
  expect(readHistory(storageWith(text))).toEqual([]);
});

test("it lasts as long as the page where storage is forbidden", () => {
  expect(withEntry(forbidden, readHistory(forbidden), entry(1))).toEqual([entry(1)]);
});
