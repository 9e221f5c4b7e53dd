import { toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CodecSchema, CountrySchema, LanguageSchema, StateSchema, TagSchema } from "../../../gen/quintet/radio/v1/radio_pb.js";
import {
  merged,
  parseCodecs,
  parseCountries,
  parseLanguages,
  parseStates,
  parseTags,
} from "../../../src/services/radio/listing.ts";

const country = (iso_3166_1: unknown, name: unknown, stationcount: unknown) => ({ name, iso_3166_1, stationcount });
const tag = (name: unknown, stationcount: unknown) => ({ name, stationcount });

const writtenCountries = (json: unknown): unknown =>
  parseCountries(json).map((entry) => toJson(CountrySchema, entry, { alwaysEmitImplicit: true }));
const writtenTags = (json: unknown): unknown =>
  merged(parseTags(json)).map((entry) => toJson(TagSchema, entry, { alwaysEmitImplicit: true }));

describe("countries", () => {
  test.each<[string, unknown, unknown]>([
    [
      "are sorted by code",
      [country("DE", "Germany", 3), country("AT", "Austria", 2)],
      [
        { code: "AT", name: "Austria", stations: 2 },
        { code: "DE", name: "Germany", stations: 3 },
      ],
    ],
    ["without a code are left out", [country("", "", 9), country(null, "Nowhere", 9), country("DEU", "Germany", 9)], []],
    ["with a code that is not in ISO 3166 are left out", [country("HJ", "", 9), country("MI", "", 1), country("PO", "", 1)], []],
    ["without a name are named by their code", [country("XK", "", 4)], [{ code: "XK", name: "XK", stations: 4 }]],
    [
      "with the same code in upper and lower case are merged",
      [country("de", "Germany", 1), country("DE", "Germany", 3)],
      [{ code: "DE", name: "Germany", stations: 4 }],
    ],
    ["may have their count as a string", [country("AT", "Austria", "338")], [{ code: "AT", name: "Austria", stations: 338 }]],
    ["may be an empty list", [], []],
  ])("%s", (_, json, expected) => {
    expect(writtenCountries(json)).toEqual(expected);
  });
});

describe("tags", () => {
  test.each<[string, unknown, unknown]>([
    [
      "are sorted by most stations, then by name",
      [tag("b", 1), tag("c", 5), tag("a", 1)],
      [
        { name: "c", stations: 5 },
        { name: "a", stations: 1 },
        { name: "b", stations: 1 },
      ],
    ],
    ["that are blank are left out", [tag("", 4), tag("  ", 4), tag("null", 1), tag("undefined", 15)], []],
    ["that differ only in blanks are merged", [tag("jazz ", 2), tag("jazz", 3)], [{ name: "jazz", stations: 5 }]],
    [
      "never count more stations than is possible",
      [tag("jazz", 1_000_000), tag(" jazz", 1_000_000)],
      [{ name: "jazz", stations: 1_000_000 }],
    ],
  ])("%s", (_, json, expected) => {
    expect(writtenTags(json)).toEqual(expected);
  });
});

describe("the other lists", () => {
  test("give a language its code if the directory knows one", () => {
    const rows = [
      { name: "German", iso_639: "de", stationcount: 1 },
      { name: "#english", iso_639: null, stationcount: 3 },
      { name: "klingon", iso_639: "../x", stationcount: 2 },
    ];
    expect(merged(parseLanguages(rows)).map((row) => toJson(LanguageSchema, row))).toEqual([
      { name: "#english", stations: 3 },
      { name: "klingon", stations: 2 },
      { name: "german", code: "de", stations: 1 },
    ]);
  });

  test("give a state its country's code, and keep states of the same name in two countries apart", () => {
    const rows = [
      { name: "Limburg", country: "Belgium", stationcount: 2 },
      { name: "Limburg", country: "The Netherlands", stationcount: 3 },
      { name: " Limburg", country: "Belgium", stationcount: 2 },
      { name: "Limburg", country: "", stationcount: 1 },
    ];
    expect(merged(parseStates(rows)).map((row) => toJson(StateSchema, row))).toEqual([
      { name: "Limburg", country: "Belgium", countrycode: "BE", stations: 4 },
      { name: "Limburg", country: "The Netherlands", countrycode: "NL", stations: 3 },
      { name: "Limburg", stations: 1 },
    ]);
  });

  test("leave out the codec of stations whose codec is unknown", () => {
    expect(merged(parseCodecs([tag("UNKNOWN", 9), tag("", 2), tag("MP3", 1)])).map((row) => toJson(CodecSchema, row))).toEqual([
      { name: "MP3", stations: 1 },
    ]);
  });
});

test.each<[string, unknown, string]>([
  ["something that is not a list", { name: "jazz" }, "not a list"],
  ["a row that is not an object", ["jazz"], "row 0 is not an object"],
  ["a row without a count", [{ name: "jazz" }], "a row has no count of stations"],
  ["a negative count", [tag("jazz", -1)], "a row has no count of stations"],
  ["a count that is far too high", [tag("jazz", 1e9)], "a row has no count of stations"],
  ["a count in words", [tag("jazz", "many")], "a row has no count of stations"],
])("%s is refused completely", (_, json, message) => {
  expect(() => parseTags(json)).toThrow(new Error(message));
  for (const parse of [parseCountries, parseLanguages, parseStates, parseCodecs]) {
    expect(() => parse(json)).toThrow(new Error(message));
  }
});

test("whatever else a row contains, it becomes an entry that can be sent, or is left out", () => {
  const row = fc.record({ name: fc.jsonValue(), iso_3166_1: fc.jsonValue(), stationcount: fc.nat(1000) });
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const entries = [...merged(parseTags(rows)), ...parseCountries(rows)];
      expect(entries.every(({ name, stations }) => name.trim() !== "" && Number.isInteger(stations))).toBe(true);
    }),
  );
});
