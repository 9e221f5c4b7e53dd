// Searching stations by a query, as people type it, through the service and a directory that compares as the real one does.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RawStation } from "../../../../src/sandbox/stand-ins/radio/raw-station.ts";
import { gathering, type RadioScene, startRadioScene, withRetries } from "../radio-scene.ts";
import { rawStation } from "../raw-row.ts";

type Row = Pick<RawStation, "name"> & Partial<RawStation>;

const UK = "The United Kingdom Of Great Britain And Northern Ireland";

const rows: readonly Row[] = [
  { name: "BBC Radio 4 (128k)", tags: "news,talk", country: UK, countrycode: "GB", state: "", clickcount: 515 },
  { name: "BBC Radio 4 Extra", tags: "comedy", country: UK, countrycode: "GB", state: "", clickcount: 600 },
  { name: "Radio Nova", tags: "jazz,electro", country: "France", countrycode: "FR", state: "Paris", clickcount: 31 },
  { name: "TSF", tags: "jazz,smooth jazz", country: "France", countrycode: "FR", state: "Nice", clickcount: 90 },
  { name: "Radio Arabella München", tags: "oldies", state: "Bavaria", clickcount: 33 },
  { name: "RPR Koeln", tags: "pop", state: "", clickcount: 2 },
  { name: "Radio Köln", tags: "top 40", state: "", clickcount: 11 },
  { name: "WDR 2 Rheinland", tags: "news", state: "", clickcount: 271 },
  { name: "NDR Info", tags: "culture", state: "", clickcount: 279 },
  { name: "Antenne Bayern", tags: "top 40", state: "Bavaria", clickcount: 272 },
  { name: "Heart 80's", tags: "80s", state: "", clickcount: 363 },
  { name: "Hits Only", tags: "80s,hip-hop,k-pop", state: "", clickcount: 900 },
  { name: "Lofi Nights", tags: "lofi,drum & bass", state: "", clickcount: 40 },
  { name: "Slow Jams", tags: "r&b,lo-fi", state: "Nice", country: "France", countrycode: "FR", clickcount: 30 },
  { name: "Jungle", tags: "drum and bass", state: "", clickcount: 20 },
  { name: "Bass Culture", tags: "dnb,hiphop", state: "", clickcount: 10 },
  { name: "Charts", tags: "rnb,kpop", state: "", clickcount: 5 },
  { name: "Rock Pop Latino", tags: "rock,hits", state: "", clickcount: 800 },
  { name: "FIP 180sec", tags: "eclectic", state: "", clickcount: 9000 },
  { name: "Радио Маяк", tags: "news", country: "The Russian Federation", countrycode: "RU", state: "", clickcount: 280 },
  { name: "إذاعة القرآن الكريم", tags: "دين", country: "Egypt", countrycode: "EG", state: "Cairo", clickcount: 489 },
  { name: "CGNTV日本台", tags: "", country: "Japan", countrycode: "JP", state: "", clickcount: 7 },
  { name: "Quiet Jazz", tags: "jazz", state: "", clickcount: 5000, lastcheckok: 0 },
];

const stations = rows.map((row, index) => {
  const stationuuid = `5a000000-0000-4000-8000-0000000000${String(index + 10)}`;
  return rawStation({ language: "", votes: 0, ...row, stationuuid });
});

let scene: RadioScene;

beforeAll(async () => {
  scene = await startRadioScene(stations, { mirrorCount: 1 });
});

afterAll(() => scene.close());

const namesFor = async (request: Parameters<RadioScene["client"]["searchStations"]>[0]): Promise<string[]> =>
  (await scene.client.searchStations(request)).results.map(({ name }) => name);

describe("a query finds", () => {
  test.each<[string, string[]]>([
    ["bbc radio 4", ["BBC Radio 4 (128k)", "BBC Radio 4 Extra"]],
    ["  BBC radio FOUR ", ["BBC Radio 4 (128k)", "BBC Radio 4 Extra"]],
    ["4 bbc", ["BBC Radio 4 Extra", "BBC Radio 4 (128k)"]],
    ['"bbc radio 4"', ["BBC Radio 4 (128k)", "BBC Radio 4 Extra"]],
    ["jazz paris", ["Radio Nova"]],
    ["paris jazz", ["Radio Nova"]],
    ["jazz france", ["TSF", "Radio Nova"]],
    ["frankreich jazz", ["TSF", "Radio Nova"]],
    ["القران ägypten", ["إذاعة القرآن الكريم"]],
    ["القران agypten", ["إذاعة القرآن الكريم"]],
    ["القران مصر", ["إذاعة القرآن الكريم"]],
    ["smooth-jazz", ["TSF"]],
    ["münchen", ["Radio Arabella München"]],
    ["munchen", ["Radio Arabella München"]],
    ["Muenchen", ["Radio Arabella München"]],
    ["koeln", ["Radio Köln", "RPR Koeln"]],
    ["köln", ["Radio Köln", "RPR Koeln"]],
    ["wdr2", ["WDR 2 Rheinland"]],
    ["ndr-info", ["NDR Info"]],
    ["ndrinfo", ["NDR Info"]],
    ["antene bayern", ["Antenne Bayern"]],
    ["smoth jazz nice", ["TSF"]],
    ["smoth jazz france", ["TSF"]],
    ["80s", ["Hits Only", "Heart 80's", "FIP 180sec"]],
    ["80's", ["Hits Only", "Heart 80's", "FIP 180sec"]],
    ...["hip hop", "hip-hop", "hiphop"].map((query): [string, string[]] => [query, ["Hits Only", "Bass Culture"]]),
    ...["k pop", "k-pop", "K-Pop", "kpop"].map((query): [string, string[]] => [query, ["Hits Only", "Charts"]]),
    ...["lo fi", "lo-fi", "lofi"].map((query): [string, string[]] => [query, ["Lofi Nights", "Slow Jams"]]),
    ...["drum & bass", "drum and bass", "drum'n'bass", "drum 'n' bass", "d&b", "DnB"].map((query): [string, string[]] => [
      query,
      ["Lofi Nights", "Jungle", "Bass Culture"],
    ]),
    ...["r&b", "r & b", "r'n'b", "rnb", "RnB"].map((query): [string, string[]] => [query, ["Slow Jams", "Charts"]]),
    ["k-pop hits", ["Hits Only"]],
    ["rnb nice", ["Slow Jams"]],
    ["rnb france", ["Slow Jams"]],
    ["hip-hop dnb", ["Bass Culture"]],
    ["jungle drum and bass", ["Jungle"]],
    ["радио маяк", ["Радио Маяк"]],
    ["новости россия", []],
    ["radio россия", []],
    ["القران", ["إذاعة القرآن الكريم"]],
    ["日本", ["CGNTV日本台"]],
    ["zzzz", []],
  ])("for %s: %j", async (query, names) => {
    expect(await namesFor({ query })).toEqual(names);
  });
});

test("filters, broken stations and pages apply to a query too", async () => {
  expect(await namesFor({ query: "jazz", countrycode: "FR" })).toEqual(["TSF", "Radio Nova"]);
  expect(await namesFor({ query: "jazz", tag: "electro" })).toEqual(["Radio Nova"]);
  expect(await namesFor({ query: "jazz nova", state: "nice" })).toEqual([]);
  expect(await namesFor({ query: "radio köln", country: "germany" })).toEqual(["Radio Köln"]);
  expect(await namesFor({ query: "jazz", includeBroken: true })).toEqual(["Quiet Jazz", "TSF", "Radio Nova"]);
  const { results, hasMore, offset } = await scene.client.searchStations({ query: "jazz", limit: 1 });
  expect([results.map(({ name }) => name), hasMore, offset]).toEqual([["TSF"], true, 0]);
  const last = await scene.client.searchStations({ query: "jazz", limit: 1, offset: 1, order: "relevance" });
  expect([last.results.map(({ name }) => name), last.hasMore]).toEqual([["Radio Nova"], false]);
  expect(last.filters).toMatchObject({ query: "jazz", order: "relevance", reverse: false });
});

test.each([
  ["a word", "jazz", 4],
  ["a name that several stations have", "radio", 2],
  ["a word with several forms", "kpop", 6],
  ["words that several forms have", "drum and bass", 22],
  ["words in several fields", "jazz paris nice", 19],
  ["words in several fields, of which one has several forms", "rnb paris nice", 26],
  ["eight long words, and a ninth", "one two three four five six seven eight nine", 19],
])("a query for %s, %s, makes at most %d requests to the directory", async (_, query, requestsMax) => {
  const [before = 0] = scene.counts();
  await scene.client.searchStations({ query });
  const [after = 0] = scene.counts();
  expect(after - before).toBeGreaterThan(0);
  expect(after - before).toBeLessThanOrEqual(requestsMax);
});

test("if no mirror responds, the stations found before are returned with the age of the oldest response", async () => {
  const own = await startRadioScene(stations, { mirrorCount: 1 });
  const before = await own.client.searchStations({ query: "bbc radio 4" });
  for (const mirror of own.mirrors) {
    mirror.misbehaviour = { kind: "failing" };
  }
  own.clock.advance(90_000);
  const headers: Record<string, string> = {};
  const after = await withRetries(own.clock, own.client.searchStations({ query: "bbc radio 4" }, gathering(headers)));
  expect([after.results.length, after.results, after.ageSeconds]).toEqual([2, before.results, 90]);
  expect(headers).toEqual({ age: "90", "x-quintet-stale": "true" });
  await own.close();
});
