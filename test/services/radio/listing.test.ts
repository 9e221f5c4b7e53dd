import { toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CountrySchema, TagSchema } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { mergedTags, parseCountries, parseTags } from "../../../src/services/radio/listing.ts";

const country = (iso_3166_1: unknown, name: unknown, stationcount: unknown) => ({ name, iso_3166_1, stationcount });
const tag = (name: unknown, stationcount: unknown) => ({ name, stationcount });

const writtenCountries = (json: unknown): unknown =>
  parseCountries(json).map((entry) => toJson(CountrySchema, entry, { alwaysEmitImplicit: true }));
const writtenTags = (json: unknown): unknown =>
  mergedTags(parseTags(json)).map((entry) => toJson(TagSchema, entry, { alwaysEmitImplicit: true }));

describe("countries", () => {
  test.each<[string, unknown, unknown]>([
    [
      "come by code",
      [country("DE", "Germany", 3), country("AT", "Austria", 2)],
      [
        { code: "AT", name: "Austria", stations: 2 },
        { code: "DE", name: "Germany", stations: 3 },
      ],
    ],
    ["without a code are left out", [country("", "", 9), country(null, "Nowhere", 9), country("DEU", "Germany", 9)], []],
    ["without a name have their code for one", [country("XK", "", 4)], [{ code: "XK", name: "XK", stations: 4 }]],
    [
      "with a code in either case are one",
      [country("de", "Germany", 1), country("DE", "Germany", 3)],
      [{ code: "DE", name: "Germany", stations: 4 }],
    ],
    ["may be counted in text", [country("AT", "Austria", "338")], [{ code: "AT", name: "Austria", stations: 338 }]],
    ["may be none", [], []],
  ])("%s", (_, json, expected) => {
    expect(writtenCountries(json)).toEqual(expected);
  });
});

describe("tags", () => {
  test.each<[string, unknown, unknown]>([
    [
      "come with the most stations first, then by name",
      [tag("b", 1), tag("c", 5), tag("a", 1)],
      [
        { name: "c", stations: 5 },
        { name: "a", stations: 1 },
        { name: "b", stations: 1 },
      ],
    ],
    ["that are blank are left out", [tag("", 4), tag("  ", 4), tag("null", 1)], []],
    ["that are the same but for blanks are one", [tag("jazz ", 2), tag("jazz", 3)], [{ name: "jazz", stations: 5 }]],
    [
      "never count more stations than there can be",
      [tag("jazz", 1_000_000), tag(" jazz", 1_000_000)],
      [{ name: "jazz", stations: 1_000_000 }],
    ],
  ])("%s", (_, json, expected) => {
    expect(writtenTags(json)).toEqual(expected);
  });
});

test.each<[string, unknown, string]>([
  ["what is no list", { name: "jazz" }, "not a list"],
  ["a row that is no object", ["jazz"], "row 0 is not an object"],
  ["a row without a count", [{ name: "jazz" }], "a row has no count of stations"],
  ["a negative count", [tag("jazz", -1)], "a row has no count of stations"],
  ["a count beyond all stations", [tag("jazz", 1e9)], "a row has no count of stations"],
  ["a count in words", [tag("jazz", "many")], "a row has no count of stations"],
])("%s is refused whole", (_, json, message) => {
  expect(() => parseTags(json)).toThrow(new Error(message));
  expect(() => parseCountries(json)).toThrow(new Error(message));
});

test("whatever a row holds beside its count, it becomes an entry that can be sent, or none", () => {
  const row = fc.record({ name: fc.jsonValue(), iso_3166_1: fc.jsonValue(), stationcount: fc.nat(1000) });
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const entries = [...mergedTags(parseTags(rows)), ...parseCountries(rows)];
      expect(entries.every(({ name, stations }) => name.trim() !== "" && Number.isInteger(stations))).toBe(true);
    }),
  );
});
