import { fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StationSchema } from "../../../gen/quintet/radio/v1/radio_pb.js";
import type { RawStation } from "../../../src/services/radio/stand-in/raw-station.ts";
import { parseStations, usableStations } from "../../../src/services/radio/station.ts";
import { knownStation, rawStation } from "./raw-row.ts";

const written = (json: unknown): unknown[] =>
  usableStations(parseStations(json)).map((station) =>
    toJson(StationSchema, station, { useProtoFieldName: true, alwaysEmitImplicit: true }),
  );

test("a station of which all is known keeps all of it", () => {
  expect(written([rawStation()])).toEqual([knownStation]);
});

const without = (name: keyof typeof knownStation): object =>
  Object.fromEntries(Object.entries(knownStation).filter(([key]) => key !== name));

describe("a dirty value", () => {
  test.each<[string, Partial<Record<keyof RawStation, unknown>>, object]>([
    [
      "the stream's URL where none is resolved",
      { url_resolved: "" },
      { ...knownStation, url: "http://harbour.example/listen.pls" },
    ],
    [
      "the stream's URL where the resolved one is none",
      { url_resolved: "null" },
      { ...knownStation, url: "http://harbour.example/listen.pls" },
    ],
    ["blanks and control characters in the name", { name: " \tJazz\u0000Harbour\n " }, knownStation],
    ["a name of blanks", { name: " \t " }, { ...knownStation, name: "" }],
    ["half of a character", { name: "Jazz \ud83d" }, { ...knownStation, name: "Jazz \ufffd" }],
    ["an empty favicon", { favicon: "" }, without("favicon")],
    ["a favicon that says null", { favicon: "null" }, without("favicon")],
    ["a favicon that holds the picture itself", { favicon: "data:image/png;base64,AAAA" }, without("favicon")],
    ["a favicon that is no URL", { favicon: "https://two words/icon.png" }, without("favicon")],
    ["a favicon with a script", { favicon: "javascript:alert(1)" }, without("favicon")],
    ["a monstrous favicon", { favicon: `https://harbour.example/${"x".repeat(20_000)}` }, without("favicon")],
    ["an empty homepage", { homepage: "" }, { ...knownStation, homepage: "" }],
    ["a homepage without http", { homepage: "hthttps://harbour.example" }, { ...knownStation, homepage: "" }],
    ["blanks around a homepage", { homepage: " https://harbour.example/ " }, knownStation],
    ["no tags", { tags: "" }, { ...knownStation, tags: [] }],
    ["blank, repeated and untrimmed tags", { tags: "jazz, smooth jazz ,,jazz, null" }, knownStation],
    ["a codec that is not known", { codec: "UNKNOWN" }, { ...knownStation, codec: "" }],
    ["a bitrate in bits", { bitrate: 128_000 }, { ...knownStation, bitrate: 0 }],
    ["a high bitrate that may be", { bitrate: 10_000 }, { ...knownStation, bitrate: 10_000 }],
    ["a negative bitrate", { bitrate: -1 }, { ...knownStation, bitrate: 0 }],
    ["half a vote", { votes: 1.5 }, { ...knownStation, votes: 0 }],
    ["more votes than 32 bits hold", { votes: 1e15 }, { ...knownStation, votes: 2_147_483_647 }],
    ["a count that is a text", { clickcount: "34" }, { ...knownStation, clickcount: 0 }],
    ["an empty country", { country: "" }, without("country")],
    ["an empty country code", { countrycode: "" }, without("countrycode")],
    ["a country code in lower case", { countrycode: "de" }, knownStation],
    ["a country code that is none", { countrycode: "GER" }, without("countrycode")],
    ["a state that says NULL", { state: "NULL" }, without("state")],
    ["an empty language", { language: "" }, without("language")],
    ["languages in mixed case with blanks", { language: "German, English,,german" }, knownStation],
    ["half a position", { geo_lat: null }, without("geo")],
    ["the other half", { geo_long: null }, without("geo")],
    ["no position", { geo_lat: null, geo_long: null }, without("geo")],
    ["a position that is nowhere", { geo_long: -273.2 }, without("geo")],
    ["a position that is a text", { geo_lat: "53.55" }, without("geo")],
    ["the corner of the world", { geo_lat: -90, geo_long: 180 }, { ...knownStation, geo: { lat: -90, lon: 180 } }],
    ["a UUID in upper case", { stationuuid: "5A000000-0000-4000-8000-000000000001" }, knownStation],
  ])("is taken for what it is: %s", (_, changes, expected) => {
    expect(written([rawStation(changes)])).toEqual([expected]);
  });
});

test("a station that the answer repeats is there once, and one without a usable stream URL not at all", () => {
  const noUrl = rawStation({
    stationuuid: "5a000000-0000-4000-8000-000000000002",
    url: "rtsp://harbour.example",
    url_resolved: "",
  });
  expect(written([rawStation(), noUrl, rawStation({ name: "Again" })])).toEqual([knownStation]);
});

test.each([
  [0, true],
  [1, false],
])("lastcheckok %d: broken is %s", (lastcheckok, broken) => {
  expect(parseStations([rawStation({ lastcheckok })]).map((parsed) => parsed.broken)).toEqual([broken]);
});

test.each<[string, unknown, string]>([
  ["an object", {}, "not a list"],
  ["nothing", null, "not a list"],
  ["a text", "[]", "not a list"],
  ["a list of numbers", [1], "row 0 is not an object"],
  ["a list of lists", [[]], "row 0 is not an object"],
  ["a row without a UUID", [rawStation(), { error: "no such table" }], "a station has no UUID"],
  ["a row with half a UUID", [rawStation({ stationuuid: "5a000000-0000" })], "a station has no UUID"],
])("%s is refused whole", (_, json, message) => {
  expect(() => parseStations(json)).toThrow(new Error(message));
});

const anyValue = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("null", "\ud800", "https://x.example/", -1, 1e308, "DE"),
);
const anyRow = fc.record(Object.fromEntries(Object.keys(rawStation()).map((key) => [key, anyValue]))).map((fields) => ({
  ...fields,
  stationuuid: rawStation().stationuuid,
  url: rawStation().url,
}));

describe("whatever comes", () => {
  test("a row with a UUID and a URL becomes a station that can be sent, as it is, in both encodings", () => {
    fc.assert(
      fc.property(anyRow, (row) => {
        const [parsed] = parseStations(JSON.parse(JSON.stringify([row])));
        const station = parsed?.station;
        expect(station && fromBinary(StationSchema, toBinary(StationSchema, station))).toEqual(station);
        expect(station && toJson(StationSchema, station)).toMatchObject({ uuid: row.stationuuid });
        expect(station?.url).toMatch(/^https?:\/\//);
        expect(station?.bitrate).toSatisfy((bitrate: number) => Number.isInteger(bitrate) && bitrate >= 0 && bitrate <= 10_000);
        expect(station?.countrycode ?? "DE").toMatch(/^[A-Z]{2}$/);
        expect(Math.abs(station?.geo?.lat ?? 0)).toBeLessThanOrEqual(90);
        expect([station?.name, ...(station?.tags ?? [])].join("")).not.toMatch(/\p{Cc}/u);
      }),
      { numRuns: 500 },
    );
  });

  test("any JSON is refused with an Error, or is a list of stations", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        let outcome: unknown;
        try {
          outcome = parseStations(json);
        } catch (error) {
          outcome = error;
        }
        expect(outcome instanceof Error || (Array.isArray(outcome) && outcome.length === 0)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
