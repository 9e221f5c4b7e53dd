// Reads the whole directory as recorded on one day. Set QUINTET_RECORDED_DATA to the folder with the recording.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Language,
  SearchStationsRequestSchema,
  type SearchStationsResponse,
  type Station,
  type Tag,
} from "../../../gen/quintet/radio/v1/radio_pb.js";
import type { RawStation } from "../../../src/sandbox/stand-ins/radio/stations.ts";
import { searchOf } from "../../../src/services/radio/directory-query.ts";
import { merged, parseCountries, parseLanguages, parseTags } from "../../../src/services/radio/listing.ts";
import { parseStations, usableStations } from "../../../src/services/radio/station.ts";
import { type RadioScene, startRadioScene } from "../../services/radio/radio-scene.ts";

const folder = process.env.QUINTET_RECORDED_DATA;

const read = (name: string): Buffer => readFileSync(join(folder ?? "", "radio", `radiobrowser-2025-04-27-${name}`));
const readJson = (name: string): unknown => JSON.parse(read(`${name}.json`).toString());

/** How often each name occurs, the most frequent first, then by name. */
function counted(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1));
}

const byCode = (stations: readonly Station[]): object =>
  Object.fromEntries(counted(stations.flatMap(({ countrycode }) => countrycode ?? [])));

describe.skipIf(folder === undefined)("the recorded directory (skipped unless QUINTET_RECORDED_DATA names its folder)", () => {
  let rows: RawStation[];
  let scene: RadioScene;

  beforeAll(async () => {
    rows = JSON.parse(gunzipSync(read("stations.json.gz")).toString());
    scene = await startRadioScene(rows, { mirrorCount: 1 });
  });

  afterAll(() => scene?.close());

  test("has 55,170 stations, and all of them can be read", () => {
    expect([rows.length, parseStations(rows).length]).toEqual([55_170, 55_170]);
  });

  test("counts as many stations for each country as the directory's own list", () => {
    const stations = parseStations(rows);
    const listed = parseCountries(readJson("countries"));
    expect(byCode(stations)).toEqual(Object.fromEntries(listed.map(({ code, stations: count }) => [code, count])));
    // One of the 237 rows is Germany again, in lower case.
    expect(listed).toHaveLength(236);
  });

  test("gives the same lists in the sandbox's directory as in the real one", async () => {
    const lists = ["countries", "tags", "codecs"].map(async (name) =>
      (await fetch(`${scene.mirrors[0]?.origin}/json/${name}`)).json(),
    );
    const inOrder = (list: unknown): string[] => (list as unknown[]).map((row) => JSON.stringify(row)).sort();
    const [countries, tags, codecs] = (await Promise.all(lists)).map(inOrder);
    expect(countries).toEqual(inOrder(readJson("countries")));
    expect(tags).toEqual(inOrder(readJson("tags")));
    expect(codecs).toEqual(inOrder(readJson("codecs")));
    const languages = await (await fetch(`${scene.mirrors[0]?.origin}/json/languages`)).json();
    const counts = (list: unknown): unknown =>
      (list as { name: string; stationcount: number }[]).map(({ name, stationcount }) => [name, stationcount]);
    expect(inOrder(counts(languages))).toEqual(inOrder(counts(readJson("languages"))));
  });

  test("is read completely through the service, page by page, and the countries and tags agree with it", async () => {
    const found = new Map<string, Station>();
    for (let offset = 0; offset < rows.length; offset += 100) {
      const { results } = await scene.client.searchStations({ limit: 100, offset, order: "name" });
      for (const station of results) {
        found.set(station.uuid, station);
      }
    }
    const stations = [...found.values()];
    expect(stations).toHaveLength(rows.filter(({ lastcheckok }) => lastcheckok === 1).length);

    const countries = await scene.client.listCountries({});
    expect(byCode(stations)).toEqual(Object.fromEntries(countries.results.map(({ code, stations: count }) => [code, count])));

    // The directory counts a repeated tag of a station twice, and all tags in lower case.
    const mentions = rows.filter(({ lastcheckok }) => lastcheckok === 1).flatMap((row) => row.tags.toLowerCase().split(","));
    const most = counted(mentions.map((tag) => tag.trim()).filter((tag) => tag !== "")).slice(0, 500);
    const tags = await scene.client.listTags({ limit: 500 });
    // Among the tags with as many stations as the last one, the directory chooses which are listed.
    const sure = most.filter(([, count]) => count > (most.at(-1)?.[1] ?? 0));
    expect(tags.results.slice(0, sure.length).map(({ name, stations: count }) => [name, count])).toEqual(sure);
    expect([tags.count, sure.length > 450]).toEqual([500, true]);
  });

  test("is searched by country, tag and language in every case", async () => {
    const forms = [(text: string) => text, (text: string) => text.toLowerCase(), (text: string) => text.toUpperCase()];
    const working = rows.filter(({ lastcheckok }) => lastcheckok === 1);
    const named = (list: string, least: number): string[] =>
      (readJson(list) as { name: string; stationcount: number }[])
        .filter(({ stationcount }) => stationcount >= least)
        .map(({ name }) => name);
    const codes = Object.keys(byCode(parseStations(rows)));
    const inCountry = (code: string) => (row: RawStation) => row.countrycode.toUpperCase() === code;
    const ofCountry = new Map(parseCountries(readJson("countries")).map(({ name, code }) => [name, code]));
    const cases: (readonly [string, string, (row: RawStation) => boolean])[] = [
      ...named("countries", 1).map((name) => ["country", name, inCountry(ofCountry.get(name) ?? "")] as const),
      ...codes.map((code) => ["country", code, inCountry(code)] as const),
      ...named("tags", 500).map((name) => ["tag", name, ({ tags }: RawStation) => tags.includes(name)] as const),
      ...named("languages", 300).map((name) => ["language", name, ({ language }: RawStation) => language.includes(name)] as const),
    ];
    const wrong: unknown[] = [];
    for (const [filter, text, matches] of cases) {
      const expected = working.filter(matches).length;
      for (const form of expected === 0 ? [] : forms) {
        // The last one there is.
        const { count, nextOffset } = await scene.client.searchStations({ [filter]: form(text), limit: 1, offset: expected - 1 });
        if (count !== 1 || nextOffset !== undefined) {
          wrong.push([filter, form(text), expected, count, nextOffset]);
        }
      }
    }
    expect([wrong, cases.length > 500]).toEqual([[], true]);
  }, 300_000);

  // The directory counts a tag that a station has twice, or after a space, but finds the station once or not at all. And it does not find the
  // flags of England, because hidden characters, which they contain, are not shown.
  test.each([
    ["tags", parseTags, "tag", "tags", 29],
    ["languages", parseLanguages, "language", "language", 0],
  ] as const)("finds as many stations for each of its %s as it counts", async (list, parse, filter, field, differing) => {
    const stations = parseStations(rows);
    const having = new Map<string, Set<number>>();
    rows.forEach((row, index) => {
      for (const member of row[field].split(",")) {
        having.set(member, (having.get(member) ?? new Set()).add(index));
      }
    });
    const missing: number[] = [];
    for (const { name, stations: counted } of merged<Tag | Language>(parse(readJson(list)))) {
      const request = create(SearchStationsRequestSchema, { [filter]: name, [`${filter}Exact`]: true, includeBroken: true });
      const { parameters, matches } = await searchOf(request);
      expect(parameters[`${filter}Exact`]).toBe("true");
      const found = [...(having.get(parameters[filter] ?? "") ?? [])].filter((index) => matches(stations[index] as Station));
      missing.push(counted - found.length);
    }
    expect([missing.filter((count) => count !== 0).length, Math.min(...missing), Math.max(...missing) <= 2]).toEqual([
      differing,
      0,
      true,
    ]);
  });

  test("has a URL to play without a token or a loss of https for every station that has one", () => {
    const stations = parseStations(rows);
    const lost = stations.filter(({ url }, index) => /^https:/i.test(rows[index]?.url ?? "") && !/^https:/i.test(url));
    const tokens = /[?&](?:zt|rj-tok|sABC|token|access_token|session-id|Signature|skey)=[^&]/;
    const tokened = stations.filter(({ url }, index) => tokens.test(url) && !tokens.test(rows[index]?.url ?? ""));
    const changed = stations.filter(({ url, urlResolved }) => urlResolved !== undefined && url !== urlResolved);
    expect([lost, tokened, changed.length]).toEqual([[], [], 3272]);
  });

  test("is searched by what is shown: by bitrate and by position", async () => {
    const pages = async (request: Parameters<RadioScene["client"]["searchStations"]>[0]): Promise<Station[]> => {
      const stations: Station[] = [];
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const { results, nextOffset }: SearchStationsResponse = await scene.client.searchStations({
          ...request,
          limit: 100,
          offset,
        });
        stations.push(...results);
        offset = nextOffset;
      }
      return stations;
    };
    const working = usableStations(parseStations(rows), false);
    const bitrates = working.map(({ bitrate }) => bitrate).sort((one, other) => other - one);
    const ordered = (await pages({ order: "bitrate", reverse: true, bitrateMin: 256 })).map(({ bitrate }) => bitrate);
    expect(ordered).toEqual(bitrates.filter((bitrate) => bitrate >= 256));
    const placed = (await pages({ hasGeo: true })).map(({ uuid }) => uuid).sort();
    expect(placed).toEqual(
      working
        .filter(({ geo }) => geo !== undefined)
        .map(({ uuid }) => uuid)
        .sort(),
    );
  });

  // What people type, and the station that they mean.
  test.each([
    ["bbc radio 4", "BBC Radio 4 (128k)"],
    ["BBC Radio Four", "BBC Radio 4 (128k)"],
    ["bbc world service", "BBC World Service"],
    ["france inter", "France Inter"],
    ["franceinter", "France Inter"],
    ['"france inter"', "France Inter"],
    ["fip", "FIP"],
    ["rock antenne", "Rock Antenne"],
    ["antene bayern", "Antenne Bayern"],
    ["bayern3", "Bayern 3"],
    ["swr 3", "SWR3"],
    ["1live", "1LIVE"],
    ["ndr-info", "NDR Info (Niedersachsen)"],
    ["koeln", "Radio Köln"],
    ["muenchen", "Radio Arabella München"],
    ["ö3", "ORF Hitradio Ö3 | HQ"],
    ["oe1", "Ö1 | ORF | HQ"],
    ["cafe del mar", "Café del Mar"],
    ["swiss jazz radio", "Radio Swiss Jazz"],
    ["80s", ".977 80s"],
    ["rai radio 1", "Rai Radio 1"],
    ["radio maria italia", "Radio Maria"],
    ["los 40", "LOS 40 Principales España"],
    ["heavy mettal", "Rock Antenne - Heavy Metal"],
    ["reggae jamaica", "Reggae King Radio"],
    ["somafm groove salad", "SomaFM Groove Salad (128k MP3)"],
    ["шансон", "Шансон Радио"],
    ["القران", "إذاعة القرآن الكريم من القاهرة"],
    ["中国", "CNR-1 中国之声"],
  ])("a query for %s finds %s first", async (query, name) => {
    const { results } = await scene.client.searchStations({ query, limit: 1 });
    expect(results.map((station) => station.name)).toEqual([name]);
  });

  test("a query for jazz paris finds stations that play jazz in Paris", async () => {
    const { results } = await scene.client.searchStations({ query: "jazz paris", limit: 5 });
    const texts = results.map(({ name, tags, state }) => [name, ...tags, state].join(" ").toLowerCase());
    expect([texts.length, texts.filter((text) => !text.includes("jazz") || !text.includes("paris"))]).toEqual([5, []]);
  });
});
