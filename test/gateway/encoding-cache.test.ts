import { describe, expect, test } from "vitest";
import { EncodingCache } from "../../src/gateway/encoding-cache.ts";

const kept = (bytesMax: number): EncodingCache<string> => new EncodingCache(bytesMax, ({ length }) => length);
const frozenMessages = (count: number): object[] => Array.from({ length: count }, (_, id) => Object.freeze({ id }));

describe("the encodings of messages", () => {
  test("are kept for messages in which nothing can change, and for no others", () => {
    const encodings = kept(100);
    const messages = {
      frozen: Object.freeze({ id: 1, list: Object.freeze([1, 2]), inner: Object.freeze({}) }),
      open: { id: 1 },
      "frozen with an open list": Object.freeze({ list: [1] }),
      "frozen with bytes": Object.freeze({ bytes: new Uint8Array(1) }),
    };
    for (const message of Object.values(messages)) {
      encodings.keep(message, "text");
    }
    expect(Object.entries(messages).map(([name, message]) => [name, encodings.get(message)])).toEqual([
      ["frozen", "text"],
      ["open", undefined],
      ["frozen with an open list", undefined],
      ["frozen with bytes", undefined],
    ]);
  });

  test("take no more than their bytes in all, whatever is kept", () => {
    const encodings = kept(1000);
    const messages = frozenMessages(5000);
    for (const message of messages) {
      encodings.keep(message, "0123456789");
    }
    const found = messages.filter((message) => encodings.get(message) !== undefined);
    expect(found.length).toBeLessThanOrEqual(100);
    expect(found.length).toBeGreaterThanOrEqual(50);
    expect(found.at(-1)).toBe(messages.at(-1));
  });

  test("stay if they are used, while others come and go", () => {
    const encodings = kept(1000);
    const [used = {}, ...others] = frozenMessages(5000);
    encodings.keep(used, "0123456789");
    for (const message of others) {
      encodings.keep(message, "0123456789");
      expect(encodings.get(used)).toBe("0123456789");
    }
  });

  test("are not kept if one alone would take half of the bytes", () => {
    const encodings = kept(100);
    const [small = {}, large = {}] = frozenMessages(2);
    encodings.keep(small, "0123456789");
    encodings.keep(large, "x".repeat(51));
    expect([encodings.get(small), encodings.get(large)]).toEqual(["0123456789", undefined]);
  });
});
