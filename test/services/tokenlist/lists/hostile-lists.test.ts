// Lists are written by strangers. Whatever they contain, they are refused or read without a crash; and responses made from them have the
// right types, keep their bounds, and can be encoded.
import { create, toBinary, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GetBridgesResponseSchema, GetListResponseSchema } from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { createYielder } from "../../../../src/services/tokenlist/cooperative-yield.ts";
import { getBridges } from "../../../../src/services/tokenlist/handlers/get-bridges.ts";
import { getList } from "../../../../src/services/tokenlist/handlers/get-list.ts";
import { checkList } from "../../../../src/services/tokenlist/lists/checked-list.ts";
import { readListDocument } from "../../../../src/services/tokenlist/lists/list-document.ts";
import { readListEntry } from "../../../../src/services/tokenlist/lists/list-entry.ts";
import type { ListSnapshot } from "../../../../src/services/tokenlist/token-directory.ts";
import { indexOf, listDocument, row } from "../lists.ts";
import { nowMs } from "../start-token-list.ts";

const hex = fc.string({ unit: fc.constantFrom(..."0123456789abcdefABCDEF"), minLength: 40, maxLength: 40 });
// Only a few, so that entries collide.
const evmAddress = fc.oneof(
  fc.constantFrom(`0x${"a1".repeat(20)}`, `0x${"A1".repeat(20)}`),
  hex.map((digits) => `0x${digits}`),
);
const address = fc.oneof(
  evmAddress,
  fc.string({ unit: fc.constantFrom(..."123ABCxyz"), minLength: 30, maxLength: 46 }),
  fc.string(),
);
const text = fc.string({ unit: "binary", maxLength: 70 });
const chainId = fc.oneof(fc.constantFrom(1, 10, 42161, 501000101, 4294967295), fc.integer(), fc.double());
const extensions = fc.oneof(
  fc.record(
    {
      bridgeInfo: fc.dictionary(
        fc.constantFrom("1", "10", "42161", "0", "__proto__", "x"),
        fc.oneof(fc.record({ tokenAddress: address, originBridgeAddress: fc.anything() }), fc.anything()),
        { maxKeys: 4 },
      ),
      opTokenId: fc.oneof(fc.constantFrom("A", "B"), fc.anything()),
      l1Address: address,
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);
const entry = fc.oneof(
  fc.record(
    {
      chainId,
      address,
      name: fc.oneof(text, fc.jsonValue()),
      symbol: fc.oneof(text, fc.jsonValue()),
      decimals: fc.oneof(fc.nat(300), fc.jsonValue()),
      logoURI: fc.oneof(fc.webUrl(), text, fc.jsonValue()),
      tags: fc.oneof(fc.array(text), fc.jsonValue()),
      extensions,
    },
    { requiredKeys: ["chainId", "address", "name", "symbol", "decimals"] },
  ),
  fc.record({
    chainId: fc.constantFrom(1, 10, 42161),
    address: evmAddress,
    name: text,
    symbol: text,
    decimals: fc.nat(255),
    extensions,
  }),
  fc.jsonValue(),
);
// As it would arrive: without what JSON cannot express.
const viaJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? "null");

const failuresAllowed = /^(a list|name|timestamp|version|tokens) must be |^\d+ of \d+ entries are invalid or repeated$/;

describe("whatever a list contains,", () => {
  test("its head is read, or refused with the rule that it breaks", () => {
    const document = fc.oneof(
      fc.jsonValue(),
      fc.record(
        { name: fc.jsonValue(), timestamp: fc.jsonValue(), version: fc.jsonValue(), tokens: fc.jsonValue() },
        { requiredKeys: [] },
      ),
      fc
        .dictionary(fc.constantFrom("name", "timestamp", "version", "tokens", "__proto__"), fc.jsonValue())
        .map((changes) => listDocument([1], changes)),
    );
    const outcome = (json: unknown): string => {
      try {
        return typeof readListDocument(viaJson(json)).title;
      } catch (error) {
        return (error as Error).message;
      }
    };
    fc.assert(
      fc.property(document, (json) => {
        expect(outcome(json)).toMatch(new RegExp(`^string$|${failuresAllowed.source}`));
      }),
    );
  });

  test("an entry is left out, or is within the published bounds", () => {
    fc.assert(
      fc.property(entry, (json) => {
        const outcome = readListEntry(viaJson(json));
        const read = typeof outcome === "string" ? { chainId: 1, address: "", name: "", symbol: "", decimals: 0 } : outcome;
        expect(Number.isInteger(read.chainId) && read.chainId >= 1 && read.chainId <= 4294967295).toBe(true);
        expect(Number.isInteger(read.decimals) && read.decimals >= 0 && read.decimals <= 255).toBe(true);
        expect([...read.name].length).toBeLessThanOrEqual(128);
        expect([...read.symbol].length).toBeLessThanOrEqual(64);
        expect(`${read.name}${read.symbol}`).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\u200b]/u);
        expect([read.logo ?? "https://", read.logoIpfs ?? "ipfs://"]).toEqual([
          expect.stringMatching(/^https:\/\//),
          expect.stringMatching(/^ip[fn]s:\/\//),
        ]);
      }),
      { numRuns: 1000 },
    );
  });

  test("it is indexed, searched, linked and encoded", async () => {
    const rows = fc.array(entry, { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(rows, rows, fc.string({ minLength: 1, maxLength: 4 }), async (one, two, query) => {
        const good = Array.from({ length: 9 }, (_, at) => row(at, { chainId: 777 }));
        const index = await indexOf({
          one: [...(viaJson(one) as unknown[]), ...good],
          two: [...(viaJson(two) as unknown[]), ...good],
        });
        const freshness = [0, 1].map(() => ({ confirmedAtMs: nowMs, stale: false }));
        const directory: ListSnapshot = { index, freshness };
        expect(index.search.find(query, 0, 5).page.length).toBeLessThanOrEqual(5);
        for (const list of ["one", "two"]) {
          const page = create(GetListResponseSchema, getList({ list, chain: "", limit: 500, offset: 0 } as never, directory));
          toJson(GetListResponseSchema, page);
          toBinary(GetListResponseSchema, page);
        }
        for (const { chain, address: shown } of index.tokens) {
          const bridges = create(GetBridgesResponseSchema, getBridges({ chain, address: shown } as never, directory));
          toJson(GetBridgesResponseSchema, bridges);
          toBinary(GetBridgesResponseSchema, bridges);
        }
      }),
    );
  });

  test("the largest possible list is checked in turns", async () => {
    const rows = Array.from({ length: 10_000 }, (_, at) => row(at, { name: "a ".repeat(64), symbol: "s".repeat(64) }));
    const list = await checkList(readListDocument(listDocument(rows)), createYielder(systemClock));
    expect([list.entries.length, list.dropped]).toEqual([10_000, 0]);
  });
});
