// Searches around a position: the nearest first, in pages of one response of the directory, by mirrors that know distances.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SearchStationsRequestSchema } from "../../../../gen/quintet/radio/v1/radio_pb.js";
import { type RadioScene, refusal, startRadioScene } from "../radio-scene.ts";
import { rawStation } from "../raw-row.ts";

// The distances from Hamburg's town hall, in km, are known from maps.
const HAMBURG = { geoLat: 53.5503, geoLong: 9.9927 };
const places = [
  { name: "Bremen", geo_lat: 53.0758, geo_long: 8.8072, km: 94.8, tags: "jazz" },
  { name: "Altona", geo_lat: 53.5524, geo_long: 9.9353, km: 3.8, tags: "rock" },
  { name: "Berlin", geo_lat: 52.5186, geo_long: 13.4083, km: 255.3, tags: "jazz" },
  { name: "Suva", geo_lat: -18.1416, geo_long: 178.4419, km: 16_019, tags: "jazz" },
  { name: "Somewhere", geo_lat: null, geo_long: null, km: 0, tags: "jazz" },
];
const rows = places.map(({ km: _, ...place }, at) =>
  rawStation({ ...place, stationuuid: `5a000000-0000-4000-8000-00000000000${at}`, url: `http://${place.name}.example/live` }),
);

type Search = MessageInitShape<typeof SearchStationsRequestSchema>;

let scene: RadioScene;
const asked: URL[] = [];
beforeAll(async () => {
  scene = await startRadioScene(rows, { freshMs: 60_000, onRequest: (url) => asked.push(url) });
});
afterAll(() => scene.close());

const found = async (request: Search) => {
  const { results, filters, nextOffset } = await scene.client.searchStations({ ...HAMBURG, ...request });
  return { names: results.map(({ name }) => name), metres: results.map(({ geoDistance }) => geoDistance), filters, nextOffset };
};

test("the stations within 50 km by default, or within another distance, nearest first, each with its distance", async () => {
  expect((await found({})).names).toEqual(["Altona"]);
  const { names, metres, filters } = await found({ geoDistance: 300_000 });
  expect(names).toEqual(["Altona", "Bremen", "Berlin"]);
  for (const [at, name] of names.entries()) {
    const km = places.find((place) => place.name === name)?.km ?? 0;
    expect(Math.abs((metres[at] ?? 0) / 1000 - km)).toBeLessThan(km * 0.01 + 0.1);
  }
  expect(filters).toMatchObject({ order: "distance", reverse: false, ...HAMBURG, geoDistance: 300_000 });
  expect((await found({ geoDistance: 300_000, tag: "jazz" })).names).toEqual(["Bremen", "Berlin"]);
});

test("a position on the other side of the date line is as near as it is", async () => {
  expect((await found({ geoLat: -18.14, geoLong: -179.9, geoDistance: 200_000 })).names).toEqual(["Suva"]);
});

test("pages are cut from one response", async () => {
  asked.length = 0;
  const first = await found({ geoDistance: 400_000, limit: 2 });
  const second = await found({ geoDistance: 400_000, limit: 2, offset: 2 });
  expect([first.names, first.nextOffset, second.names, second.nextOffset]).toEqual([
    ["Altona", "Bremen"],
    2,
    ["Berlin"],
    undefined,
  ]);
  expect(asked.map(({ searchParams }) => searchParams.get("geo_distance"))).toEqual(["400000"]);
});

test("a mirror that ignores the position is not believed", async () => {
  const old = await startRadioScene(rows, { onRequest: ({ searchParams }) => searchParams.delete("geo_lat") });
  const code = await refusal(old.client.searchStations(HAMBURG));
  await old.close();
  expect(code).toMatchObject({ reason: "UPSTREAM_FAILED" });
  expect(old.counts()).toEqual([1, 1, 1]);
});

describe("is refused with the field that is wrong:", () => {
  test.each<[Search, string]>([
    [{ geoLat: 1 }, "geo_long"],
    [{ geoLong: 1 }, "geo_lat"],
    [{ geoDistance: 1 }, "geo_distance"],
    [{ order: "distance" }, "order"],
    [{ ...HAMBURG, order: "votes" }, "order"],
    [{ ...HAMBURG, reverse: true }, "reverse"],
    [{ ...HAMBURG, query: "jazz" }, "query"],
    [{ ...HAMBURG, hasGeo: false }, "has_geo"],
    [{ ...HAMBURG, geoLat: 91 }, "geo_lat"],
  ])("%j", async (request, field) => {
    expect(await refusal(scene.client.searchStations(request))).toMatchObject({
      reason: "INVALID_ARGUMENT",
      message: expect.stringMatching(new RegExp(`\\b${field} must `)),
    });
  });
});
