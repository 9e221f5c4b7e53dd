import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  GetBridgesResponseSchema,
  GetListResponseSchema,
  ListListsResponseSchema,
  SearchTokensResponseSchema,
  type Token,
  TokenSchema,
} from "../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { systemClock } from "../../../src/clock.ts";
import { reachFrom } from "../../../src/services/tokenlist/bridge-search.ts";
import { checkList } from "../../../src/services/tokenlist/checked-list.ts";
import { getBridges } from "../../../src/services/tokenlist/get-bridges.ts";
import { getList } from "../../../src/services/tokenlist/get-list.ts";
import { readListDocument } from "../../../src/services/tokenlist/list-document.ts";
import { type ListEntry, readListEntry } from "../../../src/services/tokenlist/list-entry.ts";
import { listLists } from "../../../src/services/tokenlist/list-lists.ts";
import { logoUrl } from "../../../src/services/tokenlist/logo.ts";
import { searchTokens } from "../../../src/services/tokenlist/search-tokens.ts";
import { cleanText, foldText } from "../../../src/services/tokenlist/text.ts";
import { buildTokenIndex } from "../../../src/services/tokenlist/token-index.ts";
import { createTurns } from "../../../src/services/tokenlist/turns.ts";
import { address, listDocument, row } from "./lists.ts";

const seed = 20_261_121;

// What JSON can hold, and what has tripped readers before.
const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: "binary", maxLength: 70 }),
  fc.double(),
  fc.constantFrom(null, "", " ", "0x", "1e999", -0, 1.5, 2 ** 53, 4_294_967_296, [], {}, true, "\ud800", "\u202e", "a\u0000b"),
);
const chainId = fc.constantFrom(1, 10, 8453, 42_161, 42_170, 501_000_101, 11_155_111, 4_294_967_295);
const fewAddresses = fc.oneof(
  fc.nat(5).map(address),
  fc.constantFrom("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", `0x${"AbCdEf0123".repeat(4)}`),
);
const orJunk = (good: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => fc.oneof({ arbitrary: good, weight: 6 }, junk);
const bridge = fc.record(
  { tokenAddress: orJunk(fewAddresses), originBridgeAddress: orJunk(fewAddresses), destBridgeAddress: orJunk(fewAddresses) },
  { requiredKeys: [] },
);
const extensions = fc.record(
  {
    bridgeInfo: orJunk(fc.dictionary(fc.oneof(chainId.map(String), fc.string()), orJunk(bridge), { maxKeys: 4 })),
    l1Address: orJunk(fewAddresses),
    l2GatewayAddress: orJunk(fewAddresses),
    opTokenId: orJunk(fc.constantFrom("A", "B", "toString", "__proto__")),
  },
  { requiredKeys: [] },
);
const entry = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .record(
        {
          chainId: orJunk(chainId),
          address: orJunk(fewAddresses),
          name: orJunk(fc.constantFrom("USD Coin", "constructor", "")),
          symbol: orJunk(fc.constantFrom("USDC", "USD₮", "__proto__")),
          decimals: orJunk(fc.nat(255)),
          logoURI: orJunk(fc.constantFrom("ipfs://Qm", "https://example.org/a.png", "javascript:alert(1)")),
          tags: orJunk(fc.constant(["stablecoin"])),
          extensions: orJunk(extensions),
        },
        { requiredKeys: [] },
      )
      // As if it had come over the wire.
      .map((fields): unknown => ({ ...row(1), ...fields })),
  },
  { weight: 1, arbitrary: junk },
);

const isPlainAddress = (text: unknown): boolean =>
  typeof text === "string" && /^(0x[0-9a-f]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/.test(text);
const isChainId = (id: unknown): boolean => Number.isInteger(id) && (id as number) >= 1 && (id as number) <= 0xffff_ffff;
const isOptional = (value: unknown, is: (value: unknown) => boolean): boolean => value === undefined || is(value);

/** Whether every field is what the type says, and within what the contract promises. */
const isSound = (read: ListEntry): boolean =>
  isChainId(read.chainId) &&
  isPlainAddress(read.address) &&
  typeof read.name === "string" &&
  [...read.name].length <= 60 &&
  typeof read.symbol === "string" &&
  [...read.symbol].length <= 20 &&
  Number.isInteger(read.decimals) &&
  read.decimals >= 0 &&
  read.decimals <= 255 &&
  isOptional(read.logo, (logo) => typeof logo === "string" && new URL(logo).protocol === "https:") &&
  isOptional(read.bridgeGroup, (group) => typeof group === "string") &&
  (read.bridges ?? []).every(
    (fact) =>
      isChainId(fact.chainId) &&
      fact.chainId !== read.chainId &&
      isPlainAddress(fact.address) &&
      isOptional(fact.originBridge, isPlainAddress) &&
      isOptional(fact.destBridge, isPlainAddress),
  );

/** What a reader makes of hostile input, or the plain Error that it refuses it with; anything else fails the test. */
function readOrRefused<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    // A TypeError would be a check that is missing.
    expect((error as Error).constructor).toBe(Error);
    expect((error as Error).message.length).toBeLessThan(200);
    return undefined;
  }
}

describe("whatever a list says,", () => {
  test("an entry is left out or sound", () => {
    fc.assert(
      fc.property(entry, (json) => {
        const read = readListEntry(json);
        return read === undefined || isSound(read);
      }),
      { numRuns: 3000, seed },
    );
  });

  test("a head is refused with an Error or sound", () => {
    const head = fc
      .record(
        {
          name: orJunk(fc.constant("Some List")),
          timestamp: orJunk(fc.constantFrom("2026-11-01T00:00:00Z", "2026-13-01T00:00:00Z", "0000-01-01T00:00:00Z")),
          version: orJunk(fc.record({ major: orJunk(fc.nat()), minor: fc.nat(), patch: orJunk(fc.nat()) })),
          tokens: orJunk(fc.array(junk, { maxLength: 3 })),
          logoURI: junk,
        },
        { requiredKeys: [] },
      )
      .map((fields) => ({ ...listDocument([row(1)]), ...fields }));
    fc.assert(
      fc.property(fc.oneof({ arbitrary: head, weight: 9 }, junk), (json) => {
        const read = readOrRefused(() => readListDocument(json));
        if (read === undefined) {
          return true;
        }
        const { title, timestampMs, version, entries } = read;
        const numbers = [version.major, version.minor, version.patch];
        return (
          title.length <= 30 &&
          !Number.isNaN(new Date(timestampMs).getTime()) &&
          numbers.every((number) => Number.isSafeInteger(number) && number >= 0) &&
          entries.length >= 1
        );
      }),
      { numRuns: 2000, seed },
    );
  });

  test("texts are well-formed once cleaned, cleaning them twice changes nothing, and folding never fails", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 80 }), (text) => {
        const clean = cleanText(text);
        return clean.isWellFormed() && cleanText(clean) === clean && foldText(clean).isWellFormed();
      }),
      { numRuns: 3000, seed },
    );
  });

  test("a logo is left out or an https URL", () => {
    const scheme = fc.constantFrom("https://", "http://", "ipfs://", "ipns://", "data:", "javascript:", "//", "");
    const path = fc.oneof(fc.webPath(), fc.string({ unit: "binary" }), fc.constantFrom("../../x", "a@b/c", "ipfs/Qm", "%2e%2e/x"));
    fc.assert(
      fc.property(scheme, path, (start, rest) =>
        isOptional(logoUrl(`${start}${rest}`), (logo) => typeof logo === "string" && new URL(logo).protocol === "https:"),
      ),
      { numRuns: 3000, seed },
    );
  });

  test("everything that answers from it answers sound messages", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(entry, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 }),
        async (lists) => {
          const turns = createTurns(systemClock);
          const named = [];
          for (const [index, rows] of lists.entries()) {
            // Good rows enough for the list to be believed.
            const rest = Array.from({ length: 12 }, (_, number) => row(100 + number));
            named.push({
              name: `list-${index}`,
              checked: await checkList(readListDocument(listDocument([...rows, ...rest])), turns),
            });
          }
          const index = await buildTokenIndex(named, turns);
          const directory = { index, freshness: named.map(() => ({ confirmedAtMs: 1000, stale: false })) };

          const same = (token: Token): boolean => fromBinary(TokenSchema, toBinary(TokenSchema, token)).address === token.address;
          expect(index.tokens.every(same)).toBe(true);
          toBinary(ListListsResponseSchema, create(ListListsResponseSchema, listLists(directory)));
          for (const { name } of named) {
            const page = { $typeName: "quintet.tokenlist.v1.GetListRequest" as const, list: name, chain: "", offset: 0 };
            toBinary(GetListResponseSchema, create(GetListResponseSchema, getList(page, directory)));
          }
          for (const query of ["usd", "_", "constructor"]) {
            const search = { $typeName: "quintet.tokenlist.v1.SearchTokensRequest" as const, query, chain: "", offset: 0 };
            toBinary(SearchTokensResponseSchema, create(SearchTokensResponseSchema, searchTokens(search, directory)));
          }
          for (const { chainId: id, address: shown } of index.tokens.slice(0, 20)) {
            const question = { $typeName: "quintet.tokenlist.v1.GetBridgesRequest" as const, chain: String(id), address: shown };
            const answer = getBridges(question, directory);
            const reached = reachFrom({ chainId: id, address: shown.toLowerCase() }, index.bridgeLinks);
            expect(reached.every(({ place }) => place.chainId !== id)).toBe(true);
            toBinary(GetBridgesResponseSchema, create(GetBridgesResponseSchema, answer));
          }
        },
      ),
      { numRuns: 150, seed },
    );
  });
});
