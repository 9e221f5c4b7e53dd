import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseQuotes, parseSeries, type Quote } from "../../../../src/services/tokenprice/source/coins-response.ts";

const good = { decimals: 18, symbol: "DAI", price: 0.9998, timestamp: 1_790_000_000, confidence: 0.99 };
const believed: Quote = { decimals: 18, symbol: "DAI", price: 0.9998, atSeconds: 1_790_000_000, confidence: 0.99 };

const quoteOf = (coin: unknown): Quote | undefined => parseQuotes({ coins: { "x:y": coin } }, ["x:y"]).get("x:y");

describe("prices", () => {
  test.each<[string, object, object]>([
    ["good ones", {}, {}],
    ["a price as a string", { price: "680.25" }, { price: 680.25 }],
    ["a price as a string with an exponent", { price: "1.5e-7" }, { price: 1.5e-7 }],
    ["decimals as a string", { decimals: "6" }, { decimals: 6 }],
    ["no decimals", { decimals: undefined }, { decimals: undefined }],
    ["impossible decimals", { decimals: 256 }, { decimals: undefined }],
    ["half a decimal", { decimals: 0.5 }, { decimals: undefined }],
    ["no confidence", { confidence: undefined }, { confidence: undefined }],
    ["a confidence of 0", { confidence: 0 }, { confidence: 0 }],
    ["a confidence over 1", { confidence: 1.1 }, { confidence: undefined }],
    ["no symbol", { symbol: null }, { symbol: "" }],
    ["a symbol with NULs and marks that reorder text", { symbol: "\0W\u202eETH\0 " }, { symbol: "WETH" }],
    ["a symbol with characters without a shape", { symbol: "W\u034fETH\u3164" }, { symbol: "WETH" }],
    ["half a surrogate pair in a symbol", { symbol: "W\ud83d" }, { symbol: "W\ufffd" }],
    ["an endless symbol", { symbol: "😀".repeat(90) }, { symbol: "😀".repeat(64) }],
    ["a time with fractions", { timestamp: 1_790_000_000.9 }, {}],
  ])("%s", (_name, given, expected) => {
    expect(quoteOf({ ...good, ...given })).toEqual({ ...believed, ...expected });
  });

  test.each<[string, unknown]>([
    ["below zero", { ...good, price: -1 }],
    ["of 0", { ...good, price: 0 }],
    ["over a trillion", { ...good, price: 1.1e12 }],
    ["that are not numbers", { ...good, price: "NaN" }],
    ["as hexadecimal strings", { ...good, price: "0x10" }],
    ["as blank strings", { ...good, price: "" }],
    ["in a list", { ...good, price: [1] }],
    ["without a time", { ...good, timestamp: undefined }],
    ["from before the epoch", { ...good, timestamp: -1 }],
    ["with a time in milliseconds", { ...good, timestamp: 1_790_000_000_000 }],
    ["of null", null],
    ["of a list", [good]],
  ])("%s are answers without a price, and the others are kept", (_name, coin) => {
    expect(parseQuotes({ coins: { bad: coin, good } }, ["bad", "good", "absent"])).toEqual(
      new Map([
        ["bad", undefined],
        ["good", believed],
      ]),
    );
  });

  test.each([null, [], "coins", {}, { coins: null }, { coins: [] }, { message: "no coins" }, { statusCode: 400, body: "{}" }])(
    "%j is not a valid response",
    (json) => {
      expect(() => parseQuotes(json, ["a"])).toThrow("there is no object `coins`");
      expect(() => parseSeries(json, ["a"], 500)).toThrow("there is no object `coins`");
    },
  );

  test("names that objects inherit are not mistaken for coins", () => {
    const json: unknown = JSON.parse('{"coins":{"__proto__":{"price":1,"timestamp":1,"symbol":"A"}}}');
    expect(parseQuotes(json, ["__proto__"]).get("__proto__")).toEqual({
      symbol: "A",
      price: 1,
      atSeconds: 1,
      decimals: undefined,
      confidence: undefined,
    });
    expect(parseQuotes({ coins: {} }, ["constructor"]).get("constructor")).toBeUndefined();
  });
});

test("coins that were not requested are dropped", () => {
  const coin = { price: 1, timestamp: 1, prices: [3, 1, 2].map((timestamp) => ({ timestamp, price: timestamp })) };
  const coins = { requested: coin, other: coin };
  expect([...parseQuotes({ coins }, ["requested", "missing"]).keys()]).toEqual(["requested"]);
  expect([...parseSeries({ coins }, ["requested", "missing"], 2)].map(([id, series]) => [id, series?.samples])).toEqual([
    [
      "requested",
      [
        { atSeconds: 1, price: 1 },
        { atSeconds: 3, price: 3 },
      ],
    ],
  ]);
});

describe("series", () => {
  test("are sorted, with one point for each time, without malformed ones", () => {
    const prices = [
      { timestamp: 30, price: 3 },
      { timestamp: 10, price: "1" },
      { timestamp: 20, price: -2 },
      null,
      { timestamp: 30, price: 3 },
    ];
    expect(
      parseSeries(
        { coins: { a: { symbol: "A", confidence: 0.5, prices }, b: { symbol: "B", prices: [] }, c: { prices: {} } } },
        ["a", "b", "c"],
        500,
      ),
    ).toEqual(
      new Map([
        [
          "a",
          {
            symbol: "A",
            confidence: 0.5,
            decimals: undefined,
            samples: [
              { atSeconds: 10, price: 1 },
              { atSeconds: 30, price: 3 },
            ],
          },
        ],
        ["b", undefined],
        ["c", undefined],
      ]),
    );
  });
});

test("whatever the source sends, a response is refused or contains only what can be sent", () => {
  const number = fc.oneof(fc.double(), fc.integer(), fc.double().map(String), fc.anything());
  const sample = fc.record({ price: number, timestamp: number }, { requiredKeys: [] });
  const coin = fc.record(
    {
      price: number,
      timestamp: number,
      decimals: number,
      confidence: number,
      symbol: fc.oneof(fc.string({ unit: "binary" }), fc.anything()),
      prices: fc.array(sample),
    },
    { requiredKeys: [] },
  );
  const response = fc.oneof(fc.anything(), fc.record({ coins: fc.dictionary(fc.string(), fc.oneof(coin, fc.anything())) }));
  fc.assert(
    fc.property(response, (json) => {
      for (const parse of [
        (coins: unknown) => parseQuotes(coins, idsOf(json)),
        (coins: unknown) => parseSeries(coins, idsOf(json), 500),
      ]) {
        const values = attempt(() => [...parse(json).values()].filter((value) => value !== undefined));
        const facts = values.flatMap((value) => ("samples" in value ? value.samples : [value]));
        expect(facts.filter(({ price, atSeconds }) => !(price > 0 && price <= 1e12 && Number.isInteger(atSeconds)))).toEqual([]);
        expect(values.filter(({ symbol }) => !symbol.isWellFormed() || symbol.length > 128)).toEqual([]);
      }
    }),
  );
});

// The identifiers of all coins that are there.
const idsOf = (json: unknown): string[] => attempt(() => Object.keys((json as { coins: object }).coins));

function attempt<Value>(run: () => Value[]): Value[] {
  try {
    return run();
  } catch {
    return [];
  }
}
