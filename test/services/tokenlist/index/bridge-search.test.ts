import { describe, expect, test } from "vitest";
import { reachFrom } from "../../../../src/services/tokenlist/index/bridge-search.ts";
import { address, indexOf, row } from "../lists.ts";

const place = (number: number, chainId: number) => ({ chainId, address: address(number) });
const bridgeInfo = (chainId: number, number: number, more: object = {}): object => ({
  extensions: { bridgeInfo: { [chainId]: { tokenAddress: address(number), ...more } } },
});
const group = (opTokenId: string): object => ({ extensions: { opTokenId } });

type Lists = Parameters<typeof indexOf>[0];

// Each place as `chain:number hops`, with its links as `list kind via`.
async function reached(lists: Lists, from: ReturnType<typeof place>): Promise<[string, string[]][]> {
  const index = await indexOf(lists);
  return reachFrom(from, index.bridgeLinks).places.map(({ place: { chainId, address: there }, hops, links }) => [
    `${chainId}:${Number(there)} ${hops}`,
    links.map(({ listIndex, kind, via }) => `${index.lists[listIndex]?.name} ${kind} ${via.chainId}:${Number(via.address)}`),
  ]);
}

describe("bridges", () => {
  test.each<[what: string, lists: Lists, from: [number: number, chainId: number], expected: [string, string[]][]]>([
    ["of a token without links are empty", { one: [row(1)] }, [1, 1], []],
    ["lead to what bridgeInfo names", { one: [row(1, bridgeInfo(10, 2))] }, [1, 1], [["10:2 1", ["one bridgeInfo 1:1"]]]],
    ["lead back from what bridgeInfo names", { one: [row(1, bridgeInfo(10, 2))] }, [2, 10], [["1:1 1", ["one bridgeInfo 10:2"]]]],
    [
      "list only once a link that a list gives from both ends",
      { one: [row(1, bridgeInfo(10, 2)), row(2, { chainId: 10, ...bridgeInfo(1, 1) })] },
      [1, 1],
      [["10:2 1", ["one bridgeInfo 1:1"]]],
    ],
    [
      "name every list that has the link",
      { one: [row(1, bridgeInfo(10, 2))], two: [row(2, { chainId: 10, ...bridgeInfo(1, 1) })] },
      [1, 1],
      [["10:2 1", ["one bridgeInfo 1:1", "two bridgeInfo 1:1"]]],
    ],
    [
      "join the members of a group",
      {
        one: [
          row(1, group("X")),
          row(2, { chainId: 10, ...group("X") }),
          row(3, { chainId: 8453, ...group("X") }),
          row(4, group("Y")),
        ],
      },
      [2, 10],
      [
        ["1:1 1", ["one opTokenId 10:2"]],
        ["8453:3 1", ["one opTokenId 10:2"]],
      ],
    ],
    [
      "do not join two members of a group on one chain",
      { one: [row(1, group("X")), row(2, { extensions: { opTokenId: "X", bridgeInfo: { 10: { tokenAddress: address(3) } } } })] },
      [1, 1],
      [],
    ],
    [
      "do not join groups of different lists",
      { one: [row(1, group("X"))], two: [row(2, { chainId: 10, ...group("X") })] },
      [1, 1],
      [],
    ],
    [
      "do not join a test network's group with the real one",
      { one: [row(1, group("X")), row(2, { chainId: 11155111, ...group("X") }), row(3, { chainId: 84532, ...group("X") })] },
      [2, 11155111],
      [["84532:3 1", ["one opTokenId 11155111:2"]]],
    ],
    [
      "do not join a dead test network's group with the real one, but with that of its own first layer",
      {
        one: [
          row(1, group("X")),
          row(2, { chainId: 420, ...group("X") }),
          row(3, { chainId: 84531, ...group("X") }),
          row(4, { chainId: 5, ...group("X") }),
        ],
      },
      [2, 420],
      [
        ["5:4 1", ["one opTokenId 420:2"]],
        ["84531:3 1", ["one opTokenId 420:2"]],
      ],
    ],
    [
      "do not join an unknown chain by a group: it may be a test network",
      {
        one: [
          row(1, group("X")),
          row(2, { chainId: 123456, ...group("X") }),
          row(3, { chainId: 123457, ...group("X") }),
          row(4, { chainId: 10, ...group("X") }),
        ],
      },
      [1, 1],
      [["10:4 1", ["one opTokenId 1:1"]]],
    ],
    [
      "lead to an unknown chain if an entry names the address there",
      { one: [row(1, bridgeInfo(123456, 2))] },
      [1, 1],
      [["123456:2 1", ["one bridgeInfo 1:1"]]],
    ],
    ["do not lead to a test network, whatever an entry names", { one: [row(1, bridgeInfo(84532, 2))] }, [1, 1], []],
    ["do not lead away from a test network", { one: [row(1, { chainId: 84532, ...bridgeInfo(1, 2) })] }, [1, 84532], []],
    [
      "do not lead to a test network through an unknown chain",
      { one: [row(1, bridgeInfo(123456, 2)), row(3, { chainId: 84532, ...bridgeInfo(123456, 2) })] },
      [1, 1],
      [["123456:2 1", ["one bridgeInfo 1:1"]]],
    ],
    [
      "are those of both groups of a repeated entry",
      {
        one: [
          row(1, group("Bridged")),
          row(1, group("Native")),
          row(2, { chainId: 10, ...group("Bridged") }),
          row(3, { chainId: 10, ...group("Native") }),
          row(4, { chainId: 8453, ...group("Native") }),
        ],
      },
      [1, 1],
      [
        ["10:2 1", ["one opTokenId 1:1"]],
        ["10:3 1", ["one opTokenId 1:1"]],
        ["8453:4 1", ["one opTokenId 1:1"]],
      ],
    ],
    [
      "are listed once for an entry that is repeated unchanged",
      { one: [row(1, group("X")), row(1, group("X")), row(2, { chainId: 10, ...group("X") })] },
      [2, 10],
      [["1:1 1", ["one opTokenId 10:2"]]],
    ],
    [
      "include those that only the second of two entries names",
      { one: [row(1), row(1, bridgeInfo(10, 2))] },
      [1, 1],
      [["10:2 1", ["one bridgeInfo 1:1"]]],
    ],
    [
      "lead to the first layer",
      { one: [row(2, { chainId: 42161, extensions: { l1Address: address(1) } })] },
      [2, 42161],
      [["1:1 1", ["one l1Address 42161:2"]]],
    ],
    [
      "go over several links and lists, fewest hops first",
      {
        one: [row(1, bridgeInfo(56, 4)), row(1, { chainId: 10, ...bridgeInfo(1, 1) })],
        two: [row(4, { chainId: 56, ...bridgeInfo(100, 5) })],
      },
      [1, 10],
      [
        ["1:1 1", ["one bridgeInfo 10:1"]],
        ["56:4 2", ["one bridgeInfo 1:1"]],
        ["100:5 3", ["two bridgeInfo 56:4"]],
      ],
    ],
    [
      "leave out the chain itself, but continue through it",
      { one: [row(1, bridgeInfo(10, 2)), row(2, { chainId: 10, ...bridgeInfo(1, 3) }), row(3, bridgeInfo(56, 4))] },
      [1, 1],
      [
        ["10:2 1", ["one bridgeInfo 1:1"]],
        ["56:4 3", ["one bridgeInfo 1:3"]],
      ],
    ],
    [
      "have a link for each shortest path",
      {
        one: [
          row(1, { extensions: { bridgeInfo: { 10: { tokenAddress: address(2) }, 56: { tokenAddress: address(3) } } } }),
          row(2, { chainId: 10, ...bridgeInfo(100, 4) }),
          row(3, { chainId: 56, ...bridgeInfo(100, 4) }),
        ],
      },
      [1, 1],
      [
        ["10:2 1", ["one bridgeInfo 1:1"]],
        ["56:3 1", ["one bridgeInfo 1:1"]],
        ["100:4 2", ["one bridgeInfo 10:2", "one bridgeInfo 56:3"]],
      ],
    ],
  ])("%s", async (_what, lists, [number, chainId], expected) => {
    expect(await reached(lists, place(number, chainId))).toEqual(expected);
  });

  test("name the contracts at both ends, from either end", async () => {
    const [origin, dest] = [address(0xa), address(0xb)];
    const more = { originBridgeAddress: origin, destBridgeAddress: dest };
    const { bridgeLinks } = await indexOf({
      one: [row(1, bridgeInfo(42161, 2)), row(2, { chainId: 42161, ...bridgeInfo(1, 1, more) })],
    });
    expect(reachFrom(place(1, 1), bridgeLinks).places.map(({ links }) => links)).toEqual([
      [{ listIndex: 0, kind: "bridgeInfo", via: place(1, 1), bridge: origin, viaBridge: dest }],
    ]);
    expect(reachFrom(place(2, 42161), bridgeLinks).places.map(({ links }) => links)).toEqual([
      [{ listIndex: 0, kind: "bridgeInfo", via: place(2, 42161), bridge: dest, viaBridge: origin }],
    ]);
  });

  test("are at most 100, with at most 10 links each, however many a list makes up", async () => {
    const chain = (at: number): object => row(at, { chainId: 2_000_000 + at, ...bridgeInfo(2_000_001 + at, at + 1) });
    const long = await indexOf({ one: Array.from({ length: 500 }, (_, at) => chain(at)) });
    const reachedLong = reachFrom(place(0, 2_000_000), long.bridgeLinks);
    expect([reachedLong.places.length, reachedLong.hasMore]).toEqual([100, true]);
    const whole = await indexOf({ one: Array.from({ length: 100 }, (_, at) => chain(at)) });
    const reachedWhole = reachFrom(place(0, 2_000_000), whole.bridgeLinks);
    expect([reachedWhole.places.length, reachedWhole.hasMore]).toEqual([100, false]);
    const crowd = Array.from({ length: 3000 }, (_, at) => row(at, { chainId: at === 0 ? 1 : 10, ...group("X") }));
    const reachedCrowd = reachFrom(place(0, 1), (await indexOf({ one: crowd })).bridgeLinks);
    expect([reachedCrowd.places.length, reachedCrowd.hasMore]).toEqual([100, true]);
    const lists = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`list${at}`, [row(1, bridgeInfo(10, 2))]]));
    expect((await reached(lists, place(1, 1))).map(([, links]) => links.length)).toEqual([10]);
  });

  test("are found by following at most 2000 links, however many a list makes up", async () => {
    // Each of the 90 links to all the others.
    const crowd = Array.from({ length: 90 }, (_, at) => row(at, { chainId: at === 0 ? 1 : 10, ...group("X") }));
    const { bridgeLinks } = await indexOf(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`list${at}`, crowd])));
    let followed = 0;
    const counted = {
      *from(start: ReturnType<typeof place>) {
        for (const step of bridgeLinks.from(start)) {
          followed += 1;
          yield step;
        }
      },
    };
    const { places, hasMore } = reachFrom(place(0, 1), counted);
    expect({ followed, places: places.length, hasMore }).toEqual({ followed: 2001, places: 89, hasMore: true });
  });
});
