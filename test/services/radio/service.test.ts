import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  GetStationResponseSchema,
  ListCountriesResponseSchema,
  ListTagsResponseSchema,
  ListTopVotedResponseSchema,
  SearchResponseSchema,
} from "../../../gen/quintet/radio/v1/radio_pb.js";
import { type RadioScene, refusal, shown, startRadioScene } from "./radio-scene.ts";
import { knownStation, rawStation } from "./raw-row.ts";

const uuid = (last: number): string => `5a000000-0000-4000-8000-${String(last).padStart(12, "0")}`;
const bare = { url_resolved: "", homepage: "", favicon: "", tags: "", state: "", language: "", geo_lat: null, geo_long: null };

const jazz = rawStation();
const rock = rawStation({
  ...bare,
  stationuuid: uuid(2),
  name: "Rock Café ",
  url: "http://rock.example/live",
  tags: "rock, hard rock",
  votes: 50,
  codec: "AAC+",
  bitrate: 64,
  country: "France",
  countrycode: "FR",
  state: "Île-de-France",
  language: "french",
});
const broken = rawStation({ stationuuid: uuid(3), name: "Broken FM", tags: "jazz", votes: 9999, lastcheckok: 0 });
const nowhere = rawStation({
  ...bare,
  stationuuid: uuid(4),
  name: "Nowhere Radio",
  url: "https://nowhere.example/live",
  votes: 7,
  country: "",
  countrycode: "",
  codec: "UNKNOWN",
  bitrate: 0,
  geo_lat: 12.5,
  clickcount: 3,
});
const news = rawStation({
  ...bare,
  stationuuid: uuid(5),
  name: "100% News",
  url: "https://news.example/live",
  url_resolved: "http://news.example/direct",
  tags: "news,talk",
  votes: 300,
  bitrate: 32,
  countrycode: "de",
  geo_lat: 52.5,
  geo_long: 13.4,
});

const shownRock = {
  uuid: uuid(2),
  name: "Rock Café",
  url: "http://rock.example/live",
  homepage: "",
  tags: ["rock", "hard rock"],
  codec: "AAC+",
  bitrate: 64,
  votes: 50,
  clickcount: 34,
  country: "France",
  countrycode: "FR",
  state: "Île-de-France",
  language: "french",
};
const shownNowhere = {
  uuid: uuid(4),
  name: "Nowhere Radio",
  url: "https://nowhere.example/live",
  homepage: "",
  tags: [],
  codec: "",
  bitrate: 0,
  votes: 7,
  clickcount: 3,
};
const shownNews = {
  uuid: uuid(5),
  name: "100% News",
  url: "http://news.example/direct",
  homepage: "",
  tags: ["news", "talk"],
  codec: "MP3",
  bitrate: 32,
  votes: 300,
  clickcount: 34,
  country: "Germany",
  countrycode: "DE",
  geo: { lat: 52.5, lon: 13.4 },
};

const as_of = "2026-11-21T12:00:00Z";
let scene: RadioScene;

beforeAll(async () => {
  scene = await startRadioScene([jazz, rock, broken, nowhere, news]);
});

afterAll(() => scene.close());

type Search = Parameters<RadioScene["client"]["search"]>[0];

describe("a search", () => {
  test.each<[string, Search, object, object[]]>([
    ["without filters lists all working stations by name", {}, {}, [shownNews, knownStation, shownNowhere, shownRock]],
    ["finds a part of a name in any case, without accents", { name: "CAFE" }, { name: "CAFE" }, [shownRock]],
    ["finds a part of a country's name", { country: "germ" }, { country: "germ" }, [shownNews, knownStation]],
    ["finds a country code in any case", { countrycode: "fr" }, { countrycode: "FR" }, [shownRock]],
    ["finds one of a station's languages", { language: "english" }, { language: "english" }, [knownStation]],
    ["finds a part of a tag", { tag: "hard" }, { tag: "hard" }, [shownRock]],
    ["finds a whole codec", { codec: "aac+" }, { codec: "aac+" }, [shownRock]],
    ["takes % for any characters", { name: "%f%" }, { name: "%f%" }, [shownRock]],
    ["needs all filters to hold", { tag: "jazz", country: "France" }, { tag: "jazz", country: "France" }, []],
    ["removes blanks around a filter, and does without blank ones", { tag: " jazz ", name: "  " }, { tag: "jazz" }, [knownStation]],
    [
      "orders by votes, most first",
      { order: "votes", reverse: true },
      { order: "votes", reverse: true },
      [knownStation, shownNews, shownRock, shownNowhere],
    ],
    ["orders by bitrate", { order: "bitrate" }, { order: "bitrate" }, [shownNowhere, shownNews, shownRock, knownStation]],
    ["bounds the bitrate", { bitrateMin: 32, bitrateMax: 64 }, { bitrate_min: 32, bitrate_max: 64 }, [shownNews, shownRock]],
    ["bounds the bitrate to unknown ones", { bitrateMax: 0 }, { bitrate_max: 0 }, [shownNowhere]],
    ["finds what streams over https", { httpsOnly: true }, { https_only: true }, [knownStation]],
    ["finds what has a position", { hasGeo: true }, { has_geo: true }, [shownNews, knownStation]],
    ["finds what has none", { hasGeo: false }, { has_geo: false }, [shownNowhere, shownRock]],
    ["finds nothing, and says so", { name: "zzz" }, { name: "zzz" }, []],
  ])("%s", async (_, request, filters, results) => {
    expect(shown(SearchResponseSchema, await scene.client.search(request))).toEqual({
      count: results.length,
      has_more: false,
      limit: 20,
      offset: 0,
      filters: { order: "name", reverse: false, ...filters },
      results,
      as_of,
    });
  });

  test.each<[Search, object, boolean, object[]]>([
    [{ limit: 2 }, { limit: 2, offset: 0 }, true, [shownNews, knownStation]],
    [{ limit: 2, offset: 2 }, { limit: 2, offset: 2 }, false, [shownNowhere, shownRock]],
    [{ limit: 1, offset: 2 }, { limit: 1, offset: 2 }, true, [shownNowhere]],
    [{ limit: 100, offset: 3 }, { limit: 100, offset: 3 }, false, [shownRock]],
    [{ offset: 100_000 }, { limit: 20, offset: 100_000 }, false, []],
  ])("answers the page %j", async (request, page, has_more, results) => {
    const filters = { order: "name", reverse: false };
    expect(shown(SearchResponseSchema, await scene.client.search(request))).toEqual({
      count: results.length,
      has_more,
      ...page,
      filters,
      results,
      as_of,
    });
  });

  test.each([
    ["AAC+", "AAC+"],
    // What a query string makes of `AAC+` and `aac+,H.264`.
    ["AAC ", "AAC+"],
    ["aac ,H.264", "aac+,H.264"],
    ["AAC", "AAC"],
    ["MP3 ", "MP3"],
  ])("takes the codec %j for %j", async (codec, applied) => {
    expect((await scene.client.search({ codec })).filters?.codec).toBe(applied);
  });

  test("by chance is asked again each time, and at the same moment too", async () => {
    const before = scene.mirrors[0]?.requestCount ?? 0;
    const answers = await Promise.all([1, 2, 3].map(() => scene.client.search({ order: "random" })));
    expect(answers.map(({ count }) => count)).toEqual([4, 4, 4]);
    expect(scene.mirrors[0]?.requestCount).toBe(before + 3);
  });

  test.each([
    "name",
    "url",
    "homepage",
    "favicon",
    "tags",
    "country",
    "state",
    "language",
    "votes",
    "codec",
    "bitrate",
    "lastcheckok",
    "lastchecktime",
    "clicktimestamp",
    "clickcount",
    "clicktrend",
    "changetimestamp",
    "random",
  ])("takes the order %s", async (order) => {
    const { filters, count } = await scene.client.search({ order });
    expect([filters?.order, count]).toEqual([order, 4]);
  });
});

describe("a search is refused", () => {
  test.each<[Search, string]>([
    [{ limit: 0 }, "limit must be a whole number from 1 to 100, not 0"],
    [{ limit: 101 }, "limit must be a whole number from 1 to 100, not 101"],
    [{ offset: -1 }, "offset must be a whole number from 0 to 100000, not -1"],
    [{ countrycode: "GER" }, 'countrycode must be two letters, an ISO 3166-1 alpha-2 code, not "GER"'],
    [{ bitrateMin: 64, bitrateMax: 32 }, "bitrate_max must not be less than bitrate_min, 64"],
    [{ name: "x".repeat(201) }, "name must be at most 200 characters long, not 201"],
  ])("for %j", async (request, message) => {
    expect(await refusal(scene.client.search(request))).toEqual({
      reason: "INVALID_ARGUMENT",
      message,
      code: Code.InvalidArgument,
    });
  });

  test("for an order that the directory does not have", async () => {
    expect(await refusal(scene.client.search({ order: "popularity" }))).toMatchObject({
      reason: "INVALID_ARGUMENT",
      message: expect.stringContaining("order must be one of name, url, homepage,"),
    });
  });
});

describe("one station", () => {
  test.each<[string, string, object]>([
    ["is found by its uuid", uuid(1), knownStation],
    ["is found whatever the case of the uuid", uuid(1).toUpperCase(), knownStation],
    ["is what is known of it", uuid(4), shownNowhere],
  ])("%s", async (_, wanted, station) => {
    expect(shown(GetStationResponseSchema, await scene.client.getStation({ uuid: wanted }))).toEqual({ station, as_of });
  });

  test.each<[string, string, object]>([
    [
      "unknown",
      uuid(99),
      { reason: "NOT_FOUND", message: `The radio directory has no station with the uuid ${uuid(99)}.`, code: Code.NotFound },
    ],
    [
      "broken",
      uuid(3),
      {
        reason: "NOT_FOUND",
        message: `The station ${uuid(3)} is hidden: its stream was broken when the radio directory last checked it.`,
        code: Code.NotFound,
      },
    ],
    ["none at all", "", { reason: "INVALID_ARGUMENT", message: "uuid is required", code: Code.InvalidArgument }],
    [
      "malformed",
      "5a000000",
      {
        reason: "INVALID_ARGUMENT",
        message: 'uuid must be a UUID such as 5b0c3a2e-7f0e-4a51-9b7c-0d6f5a3e9c11, not "5a000000"',
        code: Code.InvalidArgument,
      },
    ],
  ])("is refused where its uuid is %s", async (_, wanted, expected) => {
    expect(await refusal(scene.client.getStation({ uuid: wanted }))).toEqual(expected);
  });
});

test.each<[Parameters<RadioScene["client"]["listTopVoted"]>[0], boolean, object[]]>([
  [{}, false, [knownStation, shownNews, shownRock, shownNowhere]],
  [{ limit: 2 }, true, [knownStation, shownNews]],
  [{ limit: 4 }, false, [knownStation, shownNews, shownRock, shownNowhere]],
])("the most voted stations for %j come with the most votes first, without broken ones", async (request, has_more, results) => {
  const answer = shown(ListTopVotedResponseSchema, await scene.client.listTopVoted(request));
  expect(answer).toEqual({ count: results.length, has_more, results, as_of });
});

test("the countries come by code, with their working stations, without the stations that have none", async () => {
  expect(shown(ListCountriesResponseSchema, await scene.client.listCountries({}))).toEqual({
    count: 2,
    total: 2,
    has_more: false,
    results: [
      { code: "DE", name: "Germany", stations: 2 },
      { code: "FR", name: "France", stations: 1 },
    ],
    as_of,
  });
});

const tag = (name: string) => ({ name, stations: 1 });

test.each<[Parameters<RadioScene["client"]["listTags"]>[0], boolean, object[]]>([
  [{}, false, ["hard rock", "jazz", "news", "rock", "smooth jazz", "talk"].map(tag)],
  [{ limit: 2 }, true, ["smooth jazz", "talk"].map(tag)],
])("the tags for %j come with the most stations first", async (request, has_more, results) => {
  const answer = shown(ListTagsResponseSchema, await scene.client.listTags(request));
  expect(answer).toEqual({ count: results.length, has_more, results, as_of });
});

test.each([
  ["most voted stations", () => scene.client.listTopVoted({ limit: 101 }), "limit must be a whole number from 1 to 100, not 101"],
  ["tags", () => scene.client.listTags({ limit: 501 }), "limit must be a whole number from 1 to 500, not 501"],
  ["tags", () => scene.client.listTags({ limit: 0 }), "limit must be a whole number from 1 to 500, not 0"],
])("a limit out of range is refused for %s", async (_, call, message) => {
  expect(await refusal(call())).toEqual({ reason: "INVALID_ARGUMENT", message, code: Code.InvalidArgument });
});
