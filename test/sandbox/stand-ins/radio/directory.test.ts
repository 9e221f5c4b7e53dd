import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { directoryHandler } from "../../../../src/sandbox/stand-ins/radio/directory.ts";
import { startRadioStandIns } from "../../../../src/sandbox/stand-ins/radio/stand-ins.ts";
import { type RawStation, sandboxStations } from "../../../../src/sandbox/stand-ins/radio/stations.ts";
import type { StandIn } from "../../../../src/sandbox/stand-ins/stand-in.ts";
import { parseStations } from "../../../../src/services/radio/station.ts";
import { createManualClock } from "../../../fixtures/manual-clock.ts";
import { rawStation } from "../../../services/radio/raw-row.ts";

const uuid = (last: number): string => `5a000000-0000-4000-8000-${String(last).padStart(12, "0")}`;
const station = (last: number, changes: Partial<Record<keyof RawStation, unknown>>): RawStation =>
  rawStation({ stationuuid: uuid(last), ...changes });

const rows = [
  station(1, { name: "Zephyr", tags: "rock,hard rock", votes: 5, bitrate: 64, url_resolved: "", geo_lat: null }),
  station(2, { name: "alpha é", tags: "jazz, rock", votes: 9, bitrate: 128, codec: "AAC+", lastcheckok: 0, state: "Bayern" }),
  station(3, { name: "Beta", tags: "", votes: 7, bitrate: 320, country: "Austria", countrycode: "AT", language: "german" }),
  station(4, {
    name: "50%_off",
    tags: "rocksteady",
    votes: 1,
    url_resolved: "http://x.example/",
    has_extended_info: true,
    country: "",
    countrycode: "",
  }),
];
const handle = directoryHandler(rows);
const send = (path: string) => handle(new URL(path, "http://directory.example"));
const names = (path: string): string[] => (JSON.parse(send(`/json/stations/${path}`).body) as RawStation[]).map(({ name }) => name);

describe("a search of the directory", () => {
  test.each<[string, string, string[]]>([
    ["orders by name without case and accents", "search", ["50%_off", "alpha é", "Beta", "Zephyr"]],
    ["treats an unknown order as name", "search?order=toString", ["50%_off", "alpha é", "Beta", "Zephyr"]],
    ["orders by votes", "search?order=votes", ["50%_off", "Zephyr", "Beta", "alpha é"]],
    ["reverses only with the word true", "search?order=votes&reverse=true", ["alpha é", "Beta", "Zephyr", "50%_off"]],
    ["treats any other word as false", "search?order=votes&reverse=True", ["50%_off", "Zephyr", "Beta", "alpha é"]],
    ["pages", "search?offset=1&limit=2", ["alpha é", "Beta"]],
    ["has no rows with limit 0", "search?limit=0", []],
    ["has no rows past the end", "search?offset=9", []],
    ["treats an invalid limit as no limit", "search?limit=-1", ["50%_off", "alpha é", "Beta", "Zephyr"]],
    ["uses the first of two limits", "search?limit=1&limit=3", ["50%_off"]],
    ["hides broken stations on request", "search?hidebroken=true", ["50%_off", "Beta", "Zephyr"]],
    ["finds a part of a name, ignoring case and accents", "search?name=A%20E", ["alpha é"]],
    ["treats % as any characters", "search?name=a%25a", ["alpha é"]],
    ["treats _ as one character", "search?name=b_t", ["Beta"]],
    ["finds a whole name", "search?name=BETA&nameExact=true", ["Beta"]],
    ["does not find a part when it searches for a whole name", "search?name=bet&nameExact=true", []],
    ["finds a part of the tags", "search?tag=rock", ["50%_off", "alpha é", "Zephyr"]],
    ["does not find a tag in another case", "search?tag=Rock", []],
    ["finds a whole tag, but not one after a blank", "search?tag=rock&tagExact=true", ["Zephyr"]],
    ["finds a whole tag after a blank if the blank is given", "search?tag=%20rock&tagExact=true", ["alpha é"]],
    ["does not find a whole tag in another case", "search?tag=Rock&tagExact=true", []],
    ["finds all tags of a list", "search?tagList=rock,,%20jazz", ["alpha é"]],
    ["finds all whole tags of a list", "search?tagList=rock,,%20hard%20rock&tagExact=true", ["Zephyr"]],
    ["does not find the tags of a list in another case", "search?tagList=rock,Jazz", []],
    ["finds a country", "search?country=Austria&countryExact=true", ["Beta"]],
    ["ignores blanks at the end of a whole string", "search?country=Austria%20%20&countryExact=true", ["Beta"]],
    ["finds a part of a country", "search?country=ustr", ["Beta"]],
    ["does not find a country in another case", "search?country=austria", []],
    ["does not find a whole country in another case", "search?country=austria&countryExact=true", []],
    ["finds a country's code in any case", "search?countrycode=at", ["Beta"]],
    ["treats an empty code as that of stations without a country", "search?countrycode=", ["50%_off"]],
    ["finds an empty part in every string", "search?name=&country=&tag=", ["50%_off", "alpha é", "Beta", "Zephyr"]],
    ["finds a state in any case", "search?state=BAY", ["alpha é"]],
    ["finds a whole state in any case", "search?state=bayern&stateExact=true", ["alpha é"]],
    ["finds one language of several", "search?language=english&languageExact=true", ["50%_off", "alpha é", "Zephyr"]],
    ["does not find a language in another case", "search?language=English", []],
    ["does not find one language of several in another case", "search?language=English&languageExact=true", []],
    ["takes a character after a backslash literally", "search?name=0%5C%25%5C_", ["50%_off"]],
    ["treats a backslash at the end as one before the last %", "search?name=0%5C", []],
    ["orders by country with case", "search?order=country", ["50%_off", "Beta", "Zephyr", "alpha é"]],
    ["finds a whole codec", "search?codec=aac%2B", ["alpha é"]],
    ["bounds the bitrate, inclusive", "search?bitrateMin=64&bitrateMax=128", ["50%_off", "alpha é", "Zephyr"]],
    ["finds stations that have both coordinates", "search?has_geo_info=true", ["50%_off", "alpha é", "Beta"]],
    ["finds stations that lack one of them", "search?has_geo_info=false", ["Zephyr"]],
    ["finds stations that stream over https, by the resolved URL", "search?is_https=true", ["alpha é", "Beta"]],
    ["finds stations that stream over http, by the resolved URL", "search?is_https=false", ["50%_off"]],
    ["finds stations that have extended info", "search?has_extended_info=true", ["50%_off"]],
    ["is not needed to list all stations", "?limit=2", ["50%_off", "alpha é"]],
    [
      "returns stations by uuid in its own order, each once",
      `byuuid?uuids=${uuid(3)},${uuid(1).toUpperCase()},${uuid(3)},${uuid(9)}`,
      ["Zephyr", "Beta"],
    ],
    ["returns a station by its path", `byuuid/${uuid(3)}`, ["Beta"]],
    ["returns none without a uuid", "byuuid", []],
    ["returns those with the most votes first", "topvote?limit=2", ["alpha é", "Beta"]],
    ["returns as many with the most votes as the path says", "topvote/1", ["alpha é"]],
    ["returns none if the path has no number", "topvote/x", []],
  ])("%s", (_, path, found) => {
    expect(names(path)).toEqual(found);
  });

  test("in random order has all rows, and not always in the same order", () => {
    const orders = Array.from({ length: 20 }, () => names("search?order=random"));
    expect(new Set(orders.map((order) => [...order].sort().join()))).toEqual(new Set(["50%_off,Beta,Zephyr,alpha é"]));
    expect(new Set(orders.map(String)).size).toBeGreaterThan(5);
  });
});

test("a default bound of the bitrate hides stations that work", () => {
  const doubled = station(5, { name: "Doubled", bitrate: 34_400_400 });
  const own = directoryHandler([doubled]);
  const found = (path: string): number => JSON.parse(own(new URL(path, "http://directory.example")).body).length;
  expect(
    [
      "/json/stations/search",
      "/json/stations/search?bitrateMax=4294967296",
      "/json/stations/search?bitrateMax=4294967295",
      "/json/stations/topvote",
    ].map(found),
  ).toEqual([0, 0, 1, 1]);
});

describe("the sandbox's stations", () => {
  const streams = "http://127.0.0.1:9000";
  const stations = sandboxStations(streams);

  test("have all keys of the real directory, and their own UUIDs, and the service can read all of them", () => {
    const keys = stations.map((row) => Object.keys(row).sort().join());
    expect(new Set(keys)).toEqual(new Set([Object.keys(rawStation()).sort().join()]));
    expect(new Set(stations.map(({ stationuuid }) => stationuuid)).size).toBe(stations.length);
    expect(parseStations(stations)).toHaveLength(stations.length);
  });

  test.each<[string, (row: RawStation) => boolean]>([
    ["the stream of another station", ({ url }) => url.includes("24-7-relay-1")],
    ["no resolved URL", ({ url_resolved }) => url_resolved === ""],
    ["a favicon with the text null", ({ favicon }) => favicon === "null"],
    ["no tags", ({ tags }) => tags === ""],
    ["blanks in the tags", ({ tags }) => tags.includes(", ")],
    ["an unknown codec", ({ codec }) => codec === "UNKNOWN"],
    ["no bitrate", ({ bitrate }) => bitrate === 0],
    ["a bitrate in bits", ({ bitrate }) => bitrate === 128_000],
    ["a bitrate over the directory's own limit", ({ bitrate }) => bitrate > 1_000_000],
    ["blanks around the name", ({ name }) => name !== name.trim()],
    ["no country", ({ country, countrycode }) => country === "" && countrycode === ""],
    ["a country code in lower case", ({ country, countrycode }) => country !== "" && /[a-z]/.test(countrycode)],
    ["a stream that is broken", ({ lastcheckok }) => lastcheckok === 0],
    ["a stream that does not respond", ({ url }) => url.startsWith("https://")],
    ["only a latitude", ({ geo_lat, geo_long }) => geo_lat !== null && geo_long === null],
    ["a position that is nowhere", ({ geo_long }) => Math.abs(geo_long ?? 0) > 180],
  ])("have, as in the real directory, a few with %s", (_, has) => {
    const share = stations.filter(has).length / stations.length;
    expect([share > 0, share < 0.7]).toEqual([true, true]);
  });

  test("stream from the sandbox itself, mostly, and none has a playlist that is not resolved", () => {
    expect(stations.filter(({ url }) => url.startsWith(streams)).length / stations.length).toBeGreaterThan(0.9);
    expect(stations.filter(({ url, url_resolved: at }) => url.endsWith(".pls") && at === "")).toEqual([]);
  });
});

describe("the directory's lists", () => {
  test.each<[string, object[]]>([
    [
      "/json/countries",
      [
        { name: "Austria", iso_3166_1: "AT", stationcount: 1 },
        { name: "Germany", iso_3166_1: "DE", stationcount: 2 },
      ],
    ],
    [
      "/json/countries/",
      [
        { name: "Austria", iso_3166_1: "AT", stationcount: 1 },
        { name: "Germany", iso_3166_1: "DE", stationcount: 2 },
      ],
    ],
    [
      "/json/countries?hidebroken=true&order=stationcount&reverse=true&limit=1",
      [{ name: "Germany", iso_3166_1: "DE", stationcount: 1 }],
    ],
    ["/json/countries/a", [{ name: "Austria", iso_3166_1: "AT", stationcount: 1 }]],
    ["/json/tags?order=stationcount&reverse=true&limit=1", [{ name: "rock", stationcount: 2 }]],
    ["/json/tags/stead", [{ name: "rocksteady", stationcount: 1 }]],
    ["/json/tags/STEAD", []],
    ["/json/languages?order=stationcount&reverse=true&offset=1", [{ name: "english", iso_639: "en", stationcount: 3 }]],
    ["/json/languages/ENG", []],
    [
      "/json/states?offset=1&limit=2",
      [
        { name: "Hamburg", country: "Germany", stationcount: 1 },
        { name: "Hamburg", country: "Austria", stationcount: 1 },
      ],
    ],
    ["/json/states?hidebroken=true&limit=1", [{ name: "Hamburg", country: "Germany", stationcount: 1 }]],
    ["/json/states/BAY", [{ name: "Bayern", country: "Germany", stationcount: 1 }]],
    ["/json/states/Austria/%25", [{ name: "Hamburg", country: "Austria", stationcount: 1 }]],
    ["/json/states/Germany/hamb", [{ name: "Hamburg", country: "Germany", stationcount: 1 }]],
    ["/json/states/germany/%25", []],
    ["/json/codecs/aac", [{ name: "AAC+", stationcount: 1 }]],
    ["/json/codecs?hidebroken=true", [{ name: "MP3", stationcount: 3 }]],
    [
      "/json/tags?hidebroken=true&offset=1",
      [
        { name: "rock", stationcount: 1 },
        { name: "rocksteady", stationcount: 1 },
      ],
    ],
  ])("%s", (path, expected) => {
    expect(JSON.parse(send(path).body)).toEqual(expected);
  });
});

test.each<[string, number, string]>([
  ["/", 404, ""],
  ["/json/nowhere", 404, ""],
  [`/json/url/${uuid(9)}`, 404, ""],
  ["/json/url", 404, ""],
  ["/json/url/5A000000-0000-4000-8000-000000000001", 404, ""],
  ["/json/stations/constructor", 404, ""],
  ["/xml/stations/search", 406, ""],
  ["/json/stations/search?is_https=1", 500, "could not parse is_https"],
  ["/json/stations/search?has_geo_info=yes", 500, "could not parse has_geo_info"],
  ["/json/tags?order=votes", 500, "unknown order votes"],
])("%s is refused as by the real directory", (path, status, body) => {
  expect(send(path)).toEqual({
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "access-control-allow-origin": "*" },
    body,
  });
});

describe("the mirrors", () => {
  let mirrors: readonly StandIn[];

  beforeAll(async () => {
    mirrors = await startRadioStandIns({ clock: createManualClock({ nowMs: 0 }) });
  });

  afterAll(async () => {
    await Promise.all(mirrors.map((mirror) => mirror.close()));
  });

  test("are three servers with the same stations", async () => {
    const stats = await Promise.all(mirrors.map(async ({ origin }) => (await fetch(`${origin}/json/stats`)).json()));
    expect(mirrors.map(({ name }) => name)).toEqual(["radio-1", "radio-2", "radio-3"]);
    expect(stats).toEqual(
      [1, 2, 3].map(() => ({
        supported_version: 1,
        software_version: "0.7.33",
        status: "OK",
        stations: sandboxStations("").length,
        clicks_last_day: 0,
      })),
    );
  });

  test("respond like the real directory, readable by any page", async () => {
    const response = await fetch(`${mirrors[0]?.origin}/json/stations/topvote/5`);
    expect([response.status, response.headers.get("content-type"), response.headers.get("access-control-allow-origin")]).toEqual([
      200,
      "application/json",
      "*",
    ]);
    expect(await response.json()).toHaveLength(5);
  });
});
