import { fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StationSchema } from "../../../gen/quintet/radio/v1/radio_pb.js";
import type { RawStation } from "../../../src/sandbox/stand-ins/radio/stations.ts";
import { parseStations, usableStations } from "../../../src/services/radio/station.ts";
import { knownStation, rawStation } from "./raw-row.ts";

const written = (json: unknown): unknown[] =>
  usableStations(parseStations(json), false).map((station) =>
    toJson(StationSchema, station, { useProtoFieldName: true, alwaysEmitImplicit: true }),
  );

test("a complete station keeps all of its fields", () => {
  expect(written([rawStation()])).toEqual([knownStation]);
});

test("a station is frozen in every part, so that its JSON needs to be written only once", () => {
  const unfrozen = (value: unknown, path: string): string[] =>
    typeof value === "object" && value !== null
      ? [
          ...(Object.isFrozen(value) ? [] : [path]),
          ...Object.entries(value).flatMap(([name, inner]) => unfrozen(inner, `${path}.${name}`)),
        ]
      : [];
  const [station] = parseStations([rawStation()]);
  expect(station).toMatchObject({ tags: expect.anything(), geo: expect.anything(), lastCheckedAt: expect.anything() });
  expect(unfrozen(station, "station")).toEqual([]);
});

const without = (name: keyof typeof knownStation): object =>
  Object.fromEntries(Object.entries(knownStation).filter(([key]) => key !== name));

const zeno = "https://stream.zeno.fm/pfyc6y9d78uv";

describe("the URL to play", () => {
  test.each<[string, string, string, "own" | "resolved"]>([
    ["the station's own if none is resolved", zeno, "", "own"],
    ["the resolved one behind a playlist", "http://a.example/listen.pls", "http://a.example:8000/stream", "resolved"],
    ["the resolved one if it gains https", "http://a.example/stream", "https://b.example/stream", "resolved"],
    ["the resolved one if the station's own is unusable", "mms://a.example", "http://a.example/stream?t=1745733958", "resolved"],
    ["the station's own if the resolved one loses https", "https://a.example/stream", "http://a.example/stream", "own"],
    ["the station's own if a signed token is added", zeno, `${zeno}?zt=eyJhbGciOiJIUzI1NiJ9.eyJzdHJlYW0iOiJwZnlj`, "own"],
    [
      "the station's own if a session is added",
      "http://a.example/live",
      "http://b.example/live?sid=2wIJpTaR8g0vgDc2mys9ObMjn2C",
      "own",
    ],
    [
      "the station's own if a time is added",
      "http://a.example/live",
      "http://a.example/live?amsparams=playerid:;skey:1745730482",
      "own",
    ],
    [
      "the station's own if a token without digits is added",
      "http://a.example/x",
      "http://b.example/x?rj-tok=AAABlnSuYdcATfeznnCHwhkBjA",
      "own",
    ],
    [
      "the station's own if a folder is added",
      "http://a.example/x.mp3",
      `http://b.example/${"8128577c48800d99ae3e".repeat(4)}`,
      "own",
    ],
    [
      "the resolved one if only a name is added",
      "http://a.example/x",
      "http://b.example/x-fm-classic-rock/mp3-128?aggregator=smk-m3u-aac",
      "resolved",
    ],
    [
      "the resolved one if the token is the station's",
      "http://a.example/x?k=0f41d508b5b54ed9",
      "http://b.example/x?k=0f41d508b5b54ed9",
      "resolved",
    ],
    [
      "the resolved one with an id that lasts",
      "http://a.example/x",
      "https://b.example/73055724-1141-41e2-a69b-24a6ca96c8e7",
      "resolved",
    ],
  ])("is %s", (_, own, resolved, chosen) => {
    const [station] = parseStations([rawStation({ url: own, url_resolved: resolved })]);
    const known = resolved === "" ? undefined : resolved;
    expect([station?.url, station?.urlResolved]).toEqual([chosen === "own" ? own : resolved, known]);
  });
});

describe("a dirty value", () => {
  test.each<[string, Partial<Record<keyof RawStation, unknown>>, object]>([
    [
      "a resolved URL that is invalid",
      { url_resolved: "null" },
      { ...without("url_resolved"), url: "http://harbour.example/listen.pls" },
    ],
    ["blanks and control characters in the name", { name: " \tJazz\u0000Harbour\n " }, knownStation],
    ["a character that changes the text direction", { name: "\u202eJazz\u202c \u2066Harbour\u2069\u200f" }, knownStation],
    ["invisible characters", { name: "\ufeffJazz\u200b Har\u00adbour\u2063" }, knownStation],
    ["line and paragraph separators", { name: "Jazz\u2028Harbour\u2029" }, knownStation],
    [
      "characters that join others",
      { name: "می\u200cخواهم 👩\u200d🎤 ❤\ufe0f" },
      { ...knownStation, name: "می\u200cخواهم 👩\u200d🎤 ❤\ufe0f" },
    ],
    ["a tag with a hidden character", { tags: "ja\u200bzz,smooth jazz,jazz" }, knownStation],
    ["a homepage with a hidden character", { homepage: "https://harbour.example/\u202e" }, { ...knownStation, homepage: "" }],
    ["a name of blanks", { name: " \t " }, { ...knownStation, name: "" }],
    ["half of a surrogate pair", { name: "Jazz \ud83d" }, { ...knownStation, name: "Jazz \ufffd" }],
    ["an empty favicon", { favicon: "" }, without("favicon")],
    ["a favicon that says null", { favicon: "null" }, without("favicon")],
    ["a favicon that contains the picture itself", { favicon: "data:image/png;base64,AAAA" }, without("favicon")],
    ["a favicon that is not a URL", { favicon: "https://two words/icon.png" }, without("favicon")],
    ["a favicon with a script", { favicon: "javascript:alert(1)" }, without("favicon")],
    ["a monstrous favicon", { favicon: `https://harbour.example/${"x".repeat(20_000)}` }, without("favicon")],
    ["an empty homepage", { homepage: "" }, { ...knownStation, homepage: "" }],
    ["a homepage without http", { homepage: "hthttps://harbour.example" }, { ...knownStation, homepage: "" }],
    ["blanks around a homepage", { homepage: " https://harbour.example/ " }, knownStation],
    ["no tags", { tags: "" }, { ...knownStation, tags: [] }],
    ["blank, repeated and untrimmed tags", { tags: "jazz, smooth jazz ,,jazz, null" }, knownStation],
    ["tags that say undefined", { tags: "jazz,undefined,Undefined ,smooth jazz" }, knownStation],
    ["an unknown codec", { codec: "UNKNOWN" }, { ...knownStation, codec: "" }],
    ["a bitrate in bits", { bitrate: 128_000 }, { ...knownStation, bitrate: 0 }],
    ["a high but possible bitrate", { bitrate: 10_000 }, { ...knownStation, bitrate: 10_000 }],
    ["a negative bitrate", { bitrate: -1 }, { ...knownStation, bitrate: 0 }],
    ["half a vote", { votes: 1.5 }, { ...knownStation, votes: 0 }],
    ["more votes than 32 bits hold", { votes: 1e15 }, { ...knownStation, votes: 2_147_483_647 }],
    ["a count as a string", { clickcount: "34" }, { ...knownStation, clickcount: 0 }],
    ["an empty country", { country: "" }, without("country")],
    ["an empty country code", { countrycode: "" }, without("countrycode")],
    ["a country code in lower case", { countrycode: "de" }, knownStation],
    ["a country code that is not in ISO 3166", { countrycode: "HJ" }, without("countrycode")],
    ["Kosovo's country code", { countrycode: "XK" }, { ...knownStation, countrycode: "XK" }],
    ["an HLS stream", { hls: 1 }, { ...knownStation, hls: true }],
    ["a check that never happened", { lastchecktime_iso8601: null }, without("last_checked_at")],
    ["a check at an invalid time", { lastchecktime_iso8601: "2026-13-31T10:00:00Z" }, without("last_checked_at")],
    ["an invalid country code", { countrycode: "GER" }, without("countrycode")],
    ["a state that says NULL", { state: "NULL" }, without("state")],
    ["a state that says undefined", { state: "undefined" }, without("state")],
    ["an empty language", { language: "" }, without("language")],
    ["languages in mixed case with spaces", { language: "English, German,,english" }, knownStation],
    ["only a longitude", { geo_lat: null }, without("geo")],
    ["only a latitude", { geo_long: null }, without("geo")],
    ["no position", { geo_lat: null, geo_long: null }, without("geo")],
    ["an impossible position", { geo_long: -273.2 }, without("geo")],
    ["a position as a string", { geo_lat: "53.55" }, without("geo")],
    ["the most extreme valid position", { geo_lat: -90, geo_long: 180 }, { ...knownStation, geo: { lat: -90, lon: 180 } }],
    ["a UUID in upper case", { stationuuid: "5A000000-0000-4000-8000-000000000001" }, knownStation],
  ])("is cleaned up: %s", (_, changes, expected) => {
    expect(written([rawStation(changes)])).toEqual([expected]);
  });
});

test("a repeated station is returned once, and one without a usable stream URL is left out", () => {
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
  ["a string", "[]", "not a list"],
  ["a list of numbers", [1], "row 0 is not an object"],
  ["a list of lists", [[]], "row 0 is not an object"],
  ["a row without a UUID", [rawStation(), { error: "no such table" }], "a station has no UUID"],
  ["a row with half a UUID", [rawStation({ stationuuid: "5a000000-0000" })], "a station has no UUID"],
])("%s is refused completely", (_, json, message) => {
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

describe("whatever the directory sends", () => {
  test("a row with a UUID and a URL becomes a station that can be sent in both encodings", () => {
    fc.assert(
      fc.property(anyRow, (row) => {
        const [station] = parseStations(JSON.parse(JSON.stringify([row])));
        expect(station && fromBinary(StationSchema, toBinary(StationSchema, station))).toEqual(station);
        expect(station && toJson(StationSchema, station)).toMatchObject({ uuid: row.stationuuid });
        expect(station?.url).toMatch(/^https?:\/\//);
        expect(station?.bitrate).toSatisfy((bitrate: number) => Number.isInteger(bitrate) && bitrate >= 0 && bitrate <= 10_000);
        expect(station?.countrycode ?? "DE").toMatch(/^[A-Z]{2}$/);
        expect(Math.abs(station?.geo?.lat ?? 0)).toBeLessThanOrEqual(90);
        expect([station?.name, ...(station?.tags ?? [])].join("")).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u);
      }),
      { numRuns: 500 },
    );
  });

  test("any JSON is either refused with an Error or read as a list of stations", () => {
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
