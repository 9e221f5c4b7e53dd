// Reads the whole directory as it was recorded on one day, where a folder with the recording is at hand: set QUINTET_RECORDED_DATA to it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Station } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { parseCountries } from "../../../src/services/radio/listing.ts";
import type { RawStation } from "../../../src/services/radio/stand-in/raw-station.ts";
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

  test("counts as many stations for each country as its own list does", () => {
    const stations = parseStations(rows).map(({ station }) => station);
    const listed = parseCountries(readJson("countries"));
    expect(byCode(stations)).toEqual(Object.fromEntries(listed.map(({ code, stations: count }) => [code, count])));
    // One of the 237 rows is Germany again, in lower case.
    expect(listed).toHaveLength(236);
  });

  test("is shown by the sandbox's directory with the very lists that it had itself", async () => {
    const lists = ["countries", "tags"].map(async (name) => (await fetch(`${scene.mirrors[0]?.origin}/json/${name}`)).json());
    const inOrder = (list: unknown): string[] => (list as unknown[]).map((row) => JSON.stringify(row)).sort();
    const [countries, tags] = (await Promise.all(lists)).map(inOrder);
    expect(countries).toEqual(inOrder(readJson("countries")));
    expect(tags).toEqual(inOrder(readJson("tags")));
  });

  test("is read through the service whole, page by page, and its countries and tags agree with it", async () => {
    const found = new Map<string, Station>();
    for (let offset = 0; offset < rows.length; offset += 100) {
      const { results } = await scene.client.search({ limit: 100, offset, order: "name" });
      for (const station of results) {
        found.set(station.uuid, station);
      }
    }
    const stations = [...found.values()];
    expect(stations).toHaveLength(rows.filter(({ lastcheckok }) => lastcheckok === 1).length);

    const countries = await scene.client.listCountries({});
    expect(byCode(stations)).toEqual(Object.fromEntries(countries.results.map(({ code, stations: count }) => [code, count])));

    // The directory counts a tag twice that a station has twice, and all of them in lower case.
    const mentions = rows.filter(({ lastcheckok }) => lastcheckok === 1).flatMap((row) => row.tags.toLowerCase().split(","));
    const most = counted(mentions.map((tag) => tag.trim()).filter((tag) => tag !== "")).slice(0, 500);
    const tags = await scene.client.listTags({ limit: 500 });
    // Which of several tags with as many stations as the last one make the list is the directory's choice.
    const sure = most.filter(([, count]) => count > (most.at(-1)?.[1] ?? 0));
    expect(tags.results.slice(0, sure.length).map(({ name, stations: count }) => [name, count])).toEqual(sure);
    expect([tags.count, sure.length > 450]).toEqual([500, true]);
  });

  test("is searched by what is shown: by bitrate and by position", async () => {
    const pages = async (request: Parameters<RadioScene["client"]["search"]>[0]): Promise<Station[]> => {
      const stations: Station[] = [];
      let more = true;
      for (let offset = 0; more; offset += 100) {
        const { results, hasMore } = await scene.client.search({ ...request, limit: 100, offset });
        stations.push(...results);
        more = hasMore;
      }
      return stations;
    };
    const working = usableStations(parseStations(rows));
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
});
