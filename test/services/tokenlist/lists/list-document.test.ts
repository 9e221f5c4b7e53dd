import { describe, expect, test } from "vitest";
import { compareVersions, readListDocument, versionText } from "../../../../src/services/tokenlist/lists/list-document.ts";
import { checked, listDocument, row } from "../lists.ts";

describe("the head of a list", () => {
  test("is read, whatever else the list contains", () => {
    const more = { keywords: ["a-b"], tags: 7, logoURI: "", tokenMap: {}, extra: null };
    expect(readListDocument(listDocument([row(1)], more))).toEqual({
      title: "A List",
      timestampMs: Date.UTC(2026, 10, 1),
      version: { major: 1, minor: 2, patch: 3 },
      entries: [row(1)],
    });
  });

  const nameRule = "name must be 1 to 30 letters, digits, underscores and spaces";
  const timestampRule = "timestamp must be an ISO 8601 date and time from 1970 to 9999";
  const versionRule = "version must be {major, minor, patch}, whole numbers from 0";
  const tokensRule = "tokens must be 1 to 10000 entries";

  test.each([
    ["null", null, "a list must be an object"],
    ["an array", [row(1)], "a list must be an object"],
    ["no name", listDocument([row(1)], { name: undefined }), nameRule],
    ["an empty name", listDocument([row(1)], { name: "" }), nameRule],
    ["a name of 31 characters", listDocument([row(1)], { name: "n".repeat(31) }), nameRule],
    ["a name with a tag", listDocument([row(1)], { name: "<b>List</b>" }), nameRule],
    ["a timestamp in seconds", listDocument([row(1)], { timestamp: 1761955200 }), timestampRule],
    ["a date without a time", listDocument([row(1)], { timestamp: "2026-11-01" }), timestampRule],
    ["a time that does not exist", listDocument([row(1)], { timestamp: "2026-11-01T25:00:00Z" }), timestampRule],
    ["a time before 1970", listDocument([row(1)], { timestamp: "1969-12-31T23:59:59Z" }), timestampRule],
    ["a version as a string", listDocument([row(1)], { version: "1.2.3" }), versionRule],
    ["a version without a patch", listDocument([row(1)], { version: { major: 1, minor: 2 } }), versionRule],
    ["a negative version", listDocument([row(1)], { version: { major: -1, minor: 2, patch: 3 } }), versionRule],
    ["a version with an extra field", listDocument([row(1)], { version: { major: 1, minor: 2, patch: 3, beta: 4 } }), versionRule],
    ["no tokens", listDocument([]), tokensRule],
    ["tokens in an object", listDocument([], { tokens: {} }), tokensRule],
    ["10,001 tokens", listDocument(new Array(10_001).fill(row(1))), tokensRule],
  ])("is refused: %s", (_what, json, message) => {
    expect(() => readListDocument(json)).toThrow(new Error(message));
  });

  test.each([
    ["1.2.3", "1.2.3", 0],
    ["1.2.3", "1.2.4", -1],
    ["1.3.0", "1.2.9", 1],
    ["2.0.0", "10.0.0", -8],
  ])("version %s against %s: %i", (left, right, order) => {
    const version = (text: string) => {
      const [major = 0, minor = 0, patch = 0] = text.split(".").map(Number);
      return { major, minor, patch };
    };
    expect(compareVersions(version(left), version(right))).toBe(order);
    expect(versionText(version(left))).toBe(left);
  });
});

describe("a checked list", () => {
  test("drops and counts invalid and repeated entries, and keeps the order", async () => {
    const rows = [row(3), { bad: true }, row(1), row(3, { symbol: "AGAIN" }), row(3, { chainId: 10 })];
    const { entries, dropped } = await checked(rows);
    expect({ symbols: entries.map(({ chainId, symbol }) => `${symbol} on ${chainId}`), dropped }).toEqual({
      symbols: ["T3 on 1", "T1 on 1", "T3 on 10"],
      dropped: 2,
    });
  });

  test("is accepted if half of its entries are valid", async () => {
    expect(await checked([row(1), null])).toMatchObject({ dropped: 1 });
  });

  test("is refused when most of its entries are invalid", async () => {
    await expect(checked([row(1), null, null])).rejects.toThrow(new Error("2 of 3 entries are invalid or repeated"));
  });
});
