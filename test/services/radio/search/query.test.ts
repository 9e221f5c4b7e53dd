// Searching stations by a query, as people type it, through the service and a directory that compares as the real one does.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RawStation } from "../../../../src/sandbox/stand-ins/radio/stations.ts";
import { gathering, type RadioScene, refusal, startRadioScene, withRetries } from "../radio-scene.ts";
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
  const url = `https://radio.example/${index}`;
  return rawStation({ language: "esperanto", votes: 0, url, url_resolved: url, ...row, stationuuid });
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
    ["k-pop charts", ["Charts"]],
    ["rnb nice", ["Slow Jams"]],
    ["rnb france", ["Slow Jams"]],
    ["hip-hop 80s", ["Hits Only"]],
    ["jungle drum and bass", ["Jungle"]],
    ["радио маяк", ["Радио Маяк"]],
    ["новости россия", ["Радио Маяк"]],
    ["radio россия", ["Радио Маяк"]],
    ["القران", ["إذاعة القرآن الكريم"]],
    ["日本", ["CGNTV日本台"]],
    ["zzzz", []],
    ...["constructor", "jazz __proto__ toString", "a".repeat(200)].map((query): [string, string[]] => [query, []]),
  ])("for %s: %j", async (query, names) => {
    expect(await namesFor({ query })).toEqual(names);
  });
});

test("filters, broken stations and pages apply to a query too", async () => {
  expect(await namesFor({ query: "jazz", countrycode: "FR" })).toEqual(["TSF", "Radio Nova"]);
  expect(await namesFor({ query: "jazz", tag: "electro" })).toEqual(["Radio Nova"]);
  expect(await namesFor({ query: "hip-hop", tag: "80s,k-pop" })).toEqual(["Hits Only"]);
  expect(await namesFor({ query: "jazz nova", state: "nice" })).toEqual(["TSF"]);
  expect(await namesFor({ query: "radio köln", country: "germany" })).toEqual(["Radio Köln"]);
  expect(await namesFor({ query: "jazz", includeBroken: true })).toEqual(["Quiet Jazz", "TSF", "Radio Nova"]);
  const { results, nextOffset, offset } = await scene.client.searchStations({ query: "jazz", limit: 1 });
  expect([results.map(({ name }) => name), nextOffset, offset]).toEqual([["TSF"], 1, 0]);
  const last = await scene.client.searchStations({ query: "jazz", limit: 1, offset: 1, order: "relevance" });
  expect([last.results.map(({ name }) => name), last.nextOffset !== undefined]).toEqual([["Radio Nova"], false]);
  expect(last.filters).toMatchObject({ query: "jazz", order: "relevance", reverse: false });
});

test("a word that no station has is left out, and so is a place where no station has the other words", async () => {
  const found = async (query: string): Promise<unknown> => {
    const { results, ignoredWords } = await scene.client.searchStations({ query });
    return [results.map(({ name }) => name), ignoredWords];
  };
  expect(await found("xyzzy jazz nice")).toEqual([["TSF"], "xyzzy"]);
  expect(await found("tsf paris")).toEqual([["TSF"], "paris"]);
  expect(await found("jazz nice")).toEqual([["TSF"], undefined]);
  expect(await found("xyzzy plugh jazz")).toEqual([[], undefined]);
});

test("each stream is returned once, under the name that matches best", async () => {
  const url = "https://harbour.example/live";
  const copies = Array.from({ length: 40 }, (_, index) =>
    rawStation({
      stationuuid: `5a000000-0000-4000-8000-0000000001${index + 10}`,
      name: "Harbour",
      url,
      url_resolved: url,
      clickcount: index,
    }),
  );
  const other = rawStation({
    name: "Harbour Two",
    url: "https://two.example/live",
    url_resolved: "https://two.example/live",
    clickcount: 1,
  });
  const own = await startRadioScene([...copies, other], { mirrorCount: 1 });
  const { results, nextOffset } = await own.client.searchStations({ query: "harbour" });
  expect([results.map(({ name, clickcount }) => [name, clickcount]), nextOffset !== undefined]).toEqual([
    [
      ["Harbour", 39],
      ["Harbour Two", 1],
    ],
    false,
  ]);
  await own.close();
});

test("stations of the requests that had a response are returned, and the call fails only if none had one", async () => {
  let isBroken = (_: URL): boolean => false;
  const asked = new Set<string>();
  const own = await startRadioScene(stations, {
    mirrorCount: 1,
    onRequest(url) {
      asked.add(url.href);
      if (isBroken(url)) {
        throw new Error("too many connections");
      }
    },
  });
  await own.client.searchStations({ query: "tsf" });
  isBroken = (url) => url.searchParams.has("name");
  asked.clear();
  const { results, ignoredWords } = await withRetries(own.clock, own.client.searchStations({ query: "jazz xyzzy france" }));
  // What the failed requests would have found is not known, so neither is whether a word occurs nowhere.
  expect([results.map(({ name }) => name), ignoredWords]).toEqual([["TSF", "Radio Nova"], undefined]);
  // A directory that has just failed is not asked a second round.
  expect(asked.size).toBeLessThanOrEqual(4);
  isBroken = () => true;
  own.clock.advance(4_000_000);
  expect(await refusal(withRetries(own.clock, own.client.searchStations({ query: "jazz nice" })))).toMatchObject({
    reason: "UPSTREAM_FAILED",
  });
  await own.close();
});

describe("the directory's lists of words", () => {
  const lists = ["/json/tags", "/json/languages", "/json/states", "/json/countries"];
  const open = async (isBroken: (path: string) => boolean) => {
    const requests: string[] = [];
    const own = await startRadioScene(stations, {
      mirrorCount: 1,
      onRequest({ pathname }) {
        requests.push(pathname);
        if (isBroken(pathname)) {
          throw new Error("no such table");
        }
      },
    });
    const listsRead = (): string[] => requests.splice(0).filter((path) => path !== "/json/stations/search");
    return { own, listsRead };
  };

  test("are read for the first query, and once a day", async () => {
    const { own, listsRead } = await open(() => false);
    await Promise.all(["jazz", "tsf", "jazz france"].map((query) => own.client.searchStations({ query })));
    expect(listsRead().sort()).toEqual([...lists].sort());
    own.clock.advance(86_399_000);
    await own.client.searchStations({ query: "jazz" });
    expect(listsRead()).toEqual([]);
    own.clock.advance(1000);
    await own.client.searchStations({ query: "jazz" });
    await own.requested(0, 18);
    expect(listsRead().sort()).toEqual([...lists].sort());
    await own.close();
  });

  test.each(lists)(
    "if %s cannot be read, words are searched for in names and tags, the response says so, and it is read again",
    async (list) => {
      let isBroken = true;
      const { own, listsRead } = await open((path) => isBroken && path === list);
      const found = async (query: string): Promise<unknown> => {
        const { results, namesAndTagsOnly } = await withRetries(own.clock, own.client.searchStations({ query }));
        return [results.map(({ name }) => name), namesAndTagsOnly];
      };
      expect(await found("jazz france")).toEqual([["TSF", "Radio Nova"], true]);
      expect(await found("bbc radio 4")).toEqual([["BBC Radio 4 (128k)", "BBC Radio 4 Extra"], true]);
      expect(listsRead().sort()).toEqual([...lists, list].sort());
      isBroken = false;
      own.clock.advance(30_000);
      const later: unknown[] = [];
      do {
        later.push(await found("jazz france"));
      } while (JSON.stringify(later.at(-1)) === JSON.stringify([["TSF", "Radio Nova"], true]));
      expect(later.at(-1)).toEqual([["TSF", "Radio Nova"], undefined]);
      expect(listsRead()).toEqual([list]);
      await own.close();
    },
  );

  test("are waited for three seconds, and read by a later query if they come later", async () => {
    const { own } = await open(() => false);
    const [mirror] = own.mirrors;
    if (mirror !== undefined) {
      mirror.misbehaviour = { kind: "slow", delayMs: 3500 };
    }
    const call = own.client.searchStations({ query: "jazz france" });
    await own.requested(0, 4);
    own.clock.advance(3000);
    await own.requested(0, 5);
    if (mirror !== undefined) {
      mirror.misbehaviour = { kind: "none" };
    }
    own.clock.advance(3500);
    const { results, namesAndTagsOnly } = await call;
    expect([results.map(({ name }) => name), namesAndTagsOnly]).toEqual([["TSF", "Radio Nova"], true]);
    await own.close();
  });
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
  expect([after.results.length, after.results, after.freshness?.stale]).toEqual([2, before.results, true]);
  expect(headers).toEqual({ age: "90", "x-quintet-stale": "true" });
  await own.close();
});
