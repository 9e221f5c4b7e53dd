import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  BatchGetStationsResponseSchema,
  GetStationResponseSchema,
  ListCodecsResponseSchema,
  ListCountriesResponseSchema,
  ListLanguagesResponseSchema,
  ListStatesResponseSchema,
  ListTagsResponseSchema,
  ListTopVotedStationsResponseSchema,
  ReportPlayResponseSchema,
  SearchStationsResponseSchema,
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

const checked = { hls: false, broken: false, last_checked_at: "2026-10-31T10:00:00Z" };

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
  ...checked,
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
  ...checked,
};
const shownNews = {
  uuid: uuid(5),
  name: "100% News",
  url: "https://news.example/live",
  homepage: "",
  tags: ["news", "talk"],
  codec: "MP3",
  bitrate: 32,
  votes: 300,
  clickcount: 34,
  country: "Germany",
  countrycode: "DE",
  geo: { lat: 52.5, lon: 13.4 },
  ...checked,
  url_resolved: "http://news.example/direct",
};

const shownBroken = { ...knownStation, uuid: uuid(3), name: "Broken FM", tags: ["jazz"], votes: 9999, broken: true };

const freshness = { fetched_at: "2026-11-21T12:00:00Z", stale: false };
let scene: RadioScene;

beforeAll(async () => {
  scene = await startRadioScene([jazz, rock, broken, nowhere, news]);
});

afterAll(() => scene.close());

type Search = Parameters<RadioScene["client"]["searchStations"]>[0];

describe("a search", () => {
  test.each<[string, Search, object, object[]]>([
    ["without filters lists all working stations by name", {}, {}, [shownNews, knownStation, shownNowhere, shownRock]],
    ["finds part of a name in any case, without accents", { name: "CAFE" }, { name: "CAFE" }, [shownRock]],
    ["finds a part of a country's name", { country: "germ" }, { country: "germ" }, [shownNews, knownStation]],
    ["finds a country code in any case", { countrycode: "fr" }, { countrycode: "FR" }, [shownRock]],
    ["finds one of a station's languages", { language: "english" }, { language: "english" }, [knownStation]],
    ["finds a part of a tag", { tag: "hard" }, { tag: "hard" }, [shownRock]],
    ["finds all of several tags, in any order", { tag: "talk, News" }, { tag: "talk, news" }, [shownNews]],
    ["finds nothing if one of several tags is missing", { tag: "news,jazz" }, { tag: "news,jazz" }, []],
    ["finds no part of a tag if it must be whole", { tag: "hard", tagExact: true }, { tag: "hard", tag_exact: true }, []],
    ["finds a whole tag", { tag: "Jazz", tagExact: true }, { tag: "jazz", tag_exact: true }, [knownStation]],
    ["finds several whole tags", { tag: "talk,news", tagExact: true }, { tag: "talk,news", tag_exact: true }, [shownNews]],
    ["finds no whole tag by a pattern", { tag: "n_ws", tagExact: true }, { tag: "n_ws", tag_exact: true }, []],
    ["finds a part of a language", { language: "eng" }, { language: "eng" }, [knownStation]],
    [
      "finds no part of a language if it must be whole",
      { language: "eng", languageExact: true },
      { language: "eng", language_exact: true },
      [],
    ],
    [
      "finds a whole language",
      { language: "English", languageExact: true },
      { language: "english", language_exact: true },
      [knownStation],
    ],
    ["finds all of several languages", { language: "german,english" }, { language: "german,english" }, [knownStation]],
    [
      "finds all of several whole languages",
      { language: "german,english", languageExact: true },
      { language: "german,english", language_exact: true },
      [knownStation],
    ],
    ["finds a whole codec", { codec: "aac+" }, { codec: "aac+" }, [shownRock]],
    ["treats % as any characters", { name: "%f%" }, { name: "%f%" }, [shownRock]],
    ["requires all filters to match", { tag: "jazz", country: "France" }, { tag: "jazz", country: "France" }, []],
    ["trims filters, and ignores blank ones", { tag: " jazz ", name: "  " }, { tag: "jazz" }, [knownStation]],
    [
      "orders by votes, most first",
      { order: "votes", reverse: true },
      { order: "votes", reverse: true },
      [knownStation, shownNews, shownRock, shownNowhere],
    ],
    ["orders by bitrate", { order: "bitrate" }, { order: "bitrate" }, [shownNowhere, shownNews, shownRock, knownStation]],
    ["bounds the bitrate", { bitrateMin: 32, bitrateMax: 64 }, { bitrate_min: 32, bitrate_max: 64 }, [shownNews, shownRock]],
    ["bounds the bitrate to unknown ones", { bitrateMax: 0 }, { bitrate_max: 0 }, [shownNowhere]],
    ["finds stations that stream over https", { httpsOnly: true }, { https_only: true }, [knownStation]],
    ["finds stations with a position", { hasGeo: true }, { has_geo: true }, [shownNews, knownStation]],
    ["finds stations without one", { hasGeo: false }, { has_geo: false }, [shownNowhere, shownRock]],
    ["finds part of a state's name in any case", { state: "ÎLE" }, { state: "ÎLE" }, [shownRock]],
    [
      "finds broken stations on request",
      { tag: "jazz", includeBroken: true },
      { tag: "jazz", include_broken: true },
      [shownBroken, knownStation],
    ],
    ["finds nothing, and says so", { name: "zzz" }, { name: "zzz" }, []],
  ])("%s", async (_, request, filters, results) => {
    expect(shown(SearchStationsResponseSchema, await scene.client.searchStations(request))).toEqual({
      count: results.length,
      limit: 20,
      offset: 0,
      filters: { order: "name", reverse: false, ...filters },
      results,
      freshness,
    });
  });

  test.each<[Search, object, boolean, object[]]>([
    [{ limit: 2 }, { limit: 2, offset: 0 }, true, [shownNews, knownStation]],
    [{ limit: 2, offset: 2 }, { limit: 2, offset: 2 }, false, [shownNowhere, shownRock]],
    [{ limit: 1, offset: 2 }, { limit: 1, offset: 2 }, true, [shownNowhere]],
    [{ limit: 100, offset: 3 }, { limit: 100, offset: 3 }, false, [shownRock]],
    [{ offset: 100_000 }, { limit: 20, offset: 100_000 }, false, []],
  ])("returns the page %j", async (request, page, has_more, results) => {
    const filters = { order: "name", reverse: false };
    expect(shown(SearchStationsResponseSchema, await scene.client.searchStations(request))).toEqual({
      count: results.length,
      ...nextOf(page, has_more),
      ...page,
      filters,
      results,
      freshness,
    });
  });

  test.each([
    ["AAC+", "AAC+"],
    // What a query string turns `AAC+` into.
    ["AAC ", "AAC+"],
    ["MP3 ", "MP3"],
  ])("reads the codec %j as %j", async (codec, applied) => {
    expect((await scene.client.searchStations({ codec })).filters?.codec).toBe(applied);
  });

  test("in random order is requested again each time, even at the same time", async () => {
    const before = scene.mirrors[0]?.requestCount ?? 0;
    const responses = await Promise.all([1, 2, 3].map(() => scene.client.searchStations({ order: "random" })));
    expect(responses.map(({ count }) => count)).toEqual([4, 4, 4]);
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
  ])("accepts the order %s", async (order) => {
    const { filters, count } = await scene.client.searchStations({ order });
    expect([filters?.order, count]).toEqual([order, 4]);
  });
});

test("a search for distinct stations returns each stream once on a page, and still says whether more follow", async () => {
  const same = { url: "http://stream.example/live/", url_resolved: "" };
  const copies = [1, 2, 3].map((last) => rawStation({ ...same, stationuuid: uuid(last), name: `Copy ${last}` }));
  const other = rawStation({ stationuuid: uuid(4), name: "Other" });
  const https = rawStation({ stationuuid: uuid(5), name: "Over https", url: "https://stream.example/live;", url_resolved: "" });
  const own = await startRadioScene([...copies, other, https], { mirrorCount: 1 });
  const pages = await Promise.all(
    [{}, { distinct: true }, { distinct: true, limit: 3 }].map(async (request) => {
      const { count, results, nextOffset, filters } = await own.client.searchStations(request);
      return [count, results.map(({ name }) => name), nextOffset !== undefined, filters?.distinct];
    }),
  );
  expect(pages).toEqual([
    [5, ["Copy 1", "Copy 2", "Copy 3", "Other", "Over https"], false, undefined],
    [2, ["Copy 1", "Other"], false, true],
    [1, ["Copy 1"], true, true],
  ]);
  await own.close();
});

describe("a search is refused", () => {
  test.each<[Search, string]>([
    [{ limit: 0 }, "limit must be a whole number from 1 to 100, not 0"],
    [{ limit: 101 }, "limit must be a whole number from 1 to 100, not 101"],
    [{ offset: -1 }, "offset must be a whole number from 0 to 100000, not -1"],
    [{ countrycode: "GER" }, 'countrycode must be a two-letter ISO 3166-1 alpha-2 code, not "GER"'],
    [{ countrycode: "HJ" }, 'countrycode must be an ISO 3166-1 alpha-2 code, such as DE, not "HJ"'],
    [
      { countrycode: "uk" },
      'countrycode must be an ISO 3166-1 alpha-2 code, such as DE, not "UK"; the code of The United Kingdom Of Great Britain And Northern Ireland is GB',
    ],
    [{ bitrateMin: 64, bitrateMax: 32 }, "bitrate_max must not be less than bitrate_min, 64"],
    [{ name: "x".repeat(201) }, "name must be at most 200 characters long, not 201"],
    [{ query: "x".repeat(201) }, "query must be at most 200 characters long, not 201"],
    [{ codec: "HE-AAC" }, 'codec must be one of MP3; AAC+, not "HE-AAC"'],
    [{ codec: "MP3,AAC" }, 'codec must be one of MP3; AAC+, not "MP3,AAC"'],
    [{ codec: "aac ,H.264" }, 'codec must be one of MP3; AAC+, not "aac+,H.264"'],
    [{ codec: "AAC", query: "jazz" }, 'codec must be one of MP3; AAC+, not "AAC"'],
    [{ codec: "iyQYxF0dDLIhjJ3uuqxiGpsAbRDO3wpC" }, 'codec must be one of MP3; AAC+, not "(not shown)"'],
    [{ query: "&%_!" }, "query must contain a letter or a digit"],
    [{ query: "jazz", name: "jazz" }, "name must be left out if there is a query, which searches names too"],
    [{ query: "jazz", order: "votes" }, "order must be relevance or left out if there is a query"],
    [{ query: "jazz", reverse: true }, "reverse must be false or left out if there is a query: its best match always comes first"],
    [{ order: "relevance" }, "order must not be relevance without a query"],
  ])("for %j", async (request, message) => {
    expect(await refusal(scene.client.searchStations(request))).toEqual({
      reason: "INVALID_ARGUMENT",
      message,
      code: Code.InvalidArgument,
    });
  });

  test("for an order that the directory does not have", async () => {
    expect(await refusal(scene.client.searchStations({ order: "popularity" }))).toMatchObject({
      reason: "INVALID_ARGUMENT",
      message: expect.stringContaining("order must be one of name, url, homepage,"),
    });
  });
});

describe("one station", () => {
  test.each<[string, string, object]>([
    ["is found by its uuid", uuid(1), knownStation],
    ["is found by a uuid in any case", uuid(1).toUpperCase(), knownStation],
    ["has everything that is known", uuid(4), shownNowhere],
    ["says that it is broken", uuid(3), shownBroken],
  ])("%s", async (_, wanted, station) => {
    expect(shown(GetStationResponseSchema, await scene.client.getStation({ uuid: wanted }))).toEqual({
      station: { ...station, freshness },
    });
  });

  test.each<[string, string, object]>([
    [
      "unknown",
      uuid(99),
      { reason: "NOT_FOUND", message: `The radio directory has no station with the UUID ${uuid(99)}.`, code: Code.NotFound },
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
  ])("is refused if its uuid is %s", async (_, wanted, expected) => {
    expect(await refusal(scene.client.getStation({ uuid: wanted }))).toEqual(expected);
  });
});

test.each<[Parameters<RadioScene["client"]["listTopVotedStations"]>[0], object[]]>([
  [{}, [knownStation, shownNews, shownRock, shownNowhere]],
  [{ limit: 2 }, [knownStation, shownNews]],
  [{ limit: 2, includeBroken: true }, [shownBroken, knownStation]],
  [{ limit: 4 }, [knownStation, shownNews, shownRock, shownNowhere]],
])("the most voted stations for %j are sorted by votes, without broken ones unless requested", async (request, results) => {
  const response = shown(ListTopVotedStationsResponseSchema, await scene.client.listTopVotedStations(request));
  expect(response).toEqual({ count: results.length, results, freshness });
});

type Page = { readonly results: readonly object[]; readonly nextOffset?: number | undefined };

describe("all pages of a list", () => {
  test.each<[string, (offset: number, limit: number) => Promise<Page>]>([
    ["stations", (offset, limit) => scene.client.searchStations({ offset, limit })],
    ["stations with a position", (offset, limit) => scene.client.searchStations({ offset, limit, hasGeo: true })],
    ["stations without a position", (offset, limit) => scene.client.searchStations({ offset, limit, hasGeo: false })],
    ["distinct stations", (offset, limit) => scene.client.searchStations({ offset, limit, distinct: true })],
    ["broken stations too", (offset, limit) => scene.client.searchStations({ offset, limit, includeBroken: true })],
    ["stations by bitrate", (offset, limit) => scene.client.searchStations({ offset, limit, bitrateMin: 1, order: "bitrate" })],
    ["stations for a query", (offset, limit) => scene.client.searchStations({ offset, limit, query: "radio" })],
    ["tags", (offset, limit) => scene.client.listTags({ offset, limit })],
    ["languages", (offset, limit) => scene.client.listLanguages({ offset, limit })],
    ["states", (offset, limit) => scene.client.listStates({ offset, limit })],
  ])("end, and have what one page has, for %s", async (_, list) => {
    const all: object[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: Page = await list(offset, 1);
      all.push(...page.results);
      expect(page.nextOffset ?? offset + 1).toBe(offset + 1);
      offset = page.nextOffset;
    }
    const whole = await list(0, 100);
    expect(whole.nextOffset).toBeUndefined();
    expect(all).toEqual(expect.arrayContaining([...whole.results]));
  });
});

const nextOf = (
  { offset = 0, limit = 50 }: { offset?: number | undefined; limit?: number | undefined },
  hasMore: boolean,
): object => (hasMore ? { next_offset: offset + limit } : {});

describe("a play", () => {
  const clicks = async (): Promise<number> =>
    ((await (await fetch(`${scene.mirrors[0]?.origin}/json/stats`)).json()) as { clicks_last_day: number }).clicks_last_day;

  test("is reported to one mirror, once, and returns the stream's URL", async () => {
    const [before, requested] = [await clicks(), scene.counts()];
    const response = await scene.client.reportPlay({ uuid: uuid(1).toUpperCase() });
    expect(shown(ReportPlayResponseSchema, response)).toEqual({
      uuid: uuid(1),
      url: "https://harbour.example/live",
      url_resolved: "https://harbour.example/live",
      broken: false,
    });
    // One is the report; the first mirror also gets the two requests for the number of stations.
    expect([(await clicks()) - before, scene.counts().map((count, index) => count - (requested[index] ?? 0))]).toEqual([
      1,
      [2, 0, 0],
    ]);
  });

  test.each([
    [
      "of a broken station reports that it is broken",
      uuid(3),
      { uuid: uuid(3), url: "https://harbour.example/live", url_resolved: "https://harbour.example/live", broken: true },
    ],
    [
      "of a station that the directory has not resolved returns the station's own URL",
      uuid(2),
      { uuid: uuid(2), url: "http://rock.example/live", broken: false },
    ],
    [
      "of a station whose resolved URL loses https returns the station's own, too",
      uuid(5),
      { uuid: uuid(5), url: "https://news.example/live", url_resolved: "http://news.example/direct", broken: false },
    ],
  ])("%s", async (_, wanted, expected) => {
    expect(shown(ReportPlayResponseSchema, await scene.client.reportPlay({ uuid: wanted }))).toEqual(expected);
  });

  test("of a station that two mirrors do not know is refused, and neither is blamed", async () => {
    const message = `The radio directory has no station with the UUID ${uuid(99)}.`;
    const requested = scene.counts();
    for (let call = 0; call < 3; call += 1) {
      const refused = await refusal(scene.client.reportPlay({ uuid: uuid(99) }));
      expect(refused).toEqual({ reason: "NOT_FOUND", message, code: Code.NotFound });
    }
    expect(scene.counts().map((count, index) => count - (requested[index] ?? 0))).toEqual([3, 3, 0]);
  });
});

test("the countries are sorted by code, with their numbers of working stations, and stations without a country are left out", async () => {
  expect(shown(ListCountriesResponseSchema, await scene.client.listCountries({}))).toEqual({
    count: 2,
    results: [
      { code: "DE", name: "Germany", stations: 2 },
      { code: "FR", name: "France", stations: 1 },
    ],
    freshness,
  });
});

const tag = (name: string) => ({ name, stations: 1 });

test.each<[Parameters<RadioScene["client"]["listTags"]>[0], boolean, object[]]>([
  [{}, false, ["hard rock", "jazz", "news", "rock", "smooth jazz", "talk"].map(tag)],
  [{ limit: 2 }, true, ["smooth jazz", "talk"].map(tag)],
  [{ limit: 2, offset: 4 }, false, ["hard rock", "jazz"].map(tag)],
  [{ offset: 100_000 }, false, []],
])("the tags for %j are sorted by most stations", async (request, has_more, results) => {
  const response = shown(ListTagsResponseSchema, await scene.client.listTags(request));
  expect(response).toEqual({ count: results.length, ...nextOf(request, has_more), results, freshness });
});

test("stations are returned for their uuids in order, each once, broken ones too, with the missing uuids", async () => {
  const uuids = [uuid(4), uuid(99).toUpperCase(), uuid(3).toUpperCase(), uuid(1), uuid(4)];
  expect(shown(BatchGetStationsResponseSchema, await scene.client.batchGetStations({ uuids }))).toEqual({
    results: [shownNowhere, shownBroken, knownStation],
    missing: [uuid(99).toUpperCase()],
    freshness,
  });
});

test.each<[string, string[], string]>([
  ["no uuid", [], "uuids is required"],
  ["too many", Array.from({ length: 101 }, (_, last) => uuid(last)), "uuids must have 1 to 100 values, not 101"],
  ["an invalid one", [uuid(1), "x"], 'uuids[1] must be a UUID such as 5b0c3a2e-7f0e-4a51-9b7c-0d6f5a3e9c11, not "x"'],
])("stations are not returned for %s", async (_, uuids, message) => {
  const expected = { reason: "INVALID_ARGUMENT", message, code: Code.InvalidArgument };
  expect(await refusal(scene.client.batchGetStations({ uuids }))).toEqual(expected);
});

test.each<[Parameters<RadioScene["client"]["listLanguages"]>[0], boolean, object[]]>([
  [
    {},
    false,
    [
      { name: "english", code: "en", stations: 1 },
      { name: "french", code: "fr", stations: 1 },
      { name: "german", code: "de", stations: 1 },
    ],
  ],
  [{ limit: 1, offset: 1 }, true, [{ name: "french", code: "fr", stations: 1 }]],
])("the languages for %j are sorted by most stations", async (request, has_more, results) => {
  const response = shown(ListLanguagesResponseSchema, await scene.client.listLanguages(request));
  expect(response).toEqual({ ...nextOf(request, has_more), results, freshness });
});

const hamburg = { name: "Hamburg", country: "Germany", countrycode: "DE", stations: 1 };
const ileDeFrance = { name: "Île-de-France", country: "France", countrycode: "FR", stations: 1 };

test.each<[Parameters<RadioScene["client"]["listStates"]>[0], boolean, object[]]>([
  [{}, false, [hamburg, ileDeFrance]],
  [{ limit: 1 }, true, [ileDeFrance]],
  [{ countrycode: "de" }, false, [hamburg]],
  [{ countrycode: "AT" }, false, []],
])("the states for %j are sorted by most stations", async (request, has_more, results) => {
  const response = shown(ListStatesResponseSchema, await scene.client.listStates(request));
  expect(response).toEqual({ ...nextOf(request, has_more), results, freshness });
});

test("the codecs are sorted by most stations, without the unknown one", async () => {
  expect(shown(ListCodecsResponseSchema, await scene.client.listCodecs({}))).toEqual({
    results: [
      { name: "MP3", stations: 2 },
      { name: "AAC+", stations: 1 },
    ],
    freshness,
  });
});

test.each([
  [
    "most voted stations",
    () => scene.client.listTopVotedStations({ limit: 101 }),
    "limit must be a whole number from 1 to 100, not 101",
  ],
  ["tags", () => scene.client.listTags({ limit: 501 }), "limit must be a whole number from 1 to 500, not 501"],
  ["tags", () => scene.client.listTags({ offset: -1 }), "offset must be a whole number from 0 to 100000, not -1"],
  ["languages", () => scene.client.listLanguages({ limit: 501 }), "limit must be a whole number from 1 to 500, not 501"],
  [
    "languages",
    () => scene.client.listLanguages({ offset: 100_001 }),
    "offset must be a whole number from 0 to 100000, not 100001",
  ],
  ["states", () => scene.client.listStates({ limit: 501 }), "limit must be a whole number from 1 to 500, not 501"],
  [
    "states",
    () => scene.client.listStates({ countrycode: "HJ" }),
    'countrycode must be an ISO 3166-1 alpha-2 code, such as DE, not "HJ"',
  ],
  ["tags", () => scene.client.listTags({ limit: 0 }), "limit must be a whole number from 1 to 500, not 0"],
])("values out of range are refused for %s", async (_, call, message) => {
  expect(await refusal(call())).toEqual({ reason: "INVALID_ARGUMENT", message, code: Code.InvalidArgument });
});
