import { expect, test } from "vitest";
import { inventStations } from "../../../../src/sandbox/stand-ins/radio/invented-stations.ts";
import type { RawStation } from "../../../../src/sandbox/stand-ins/radio/raw-station.ts";
import { places } from "../../../../src/sandbox/stand-ins/radio/world.ts";
import { parseStations } from "../../../../src/services/radio/station.ts";
import { rawStation } from "../../../services/radio/raw-row.ts";

const count = 20_000;
const streams = "http://127.0.0.1:9000";
const list = inventStations(1, count, streams);
const stations: readonly RawStation[] = Array.from({ length: count }, (_, index) => list.at(index));

test("a station is the same each time, and a different one with another seed", () => {
  expect(inventStations(1, 10, streams).at(7)).toEqual(stations[7]);
  expect(inventStations(2, 10, streams).at(7)).not.toEqual(stations[7]);
});

test("a station has all keys of the real directory, in its order, and its own UUID", () => {
  const { geo_distance: _, ...expected } = rawStation();
  expect(Object.keys(stations[0] ?? {}).sort()).toEqual(Object.keys({ ...expected, geo_distance: null }).sort());
  expect(new Set(stations.map(({ stationuuid }) => stationuuid)).size).toBe(count);
});

test("a sketch of a station is the station without its UUIDs and times", () => {
  const sketched = stations.map((station) =>
    Object.fromEntries(Object.entries(station).filter(([key]) => !/(uuid|time|timestamp|_iso8601)$/.test(key))),
  );
  expect(stations.map((_, index) => list.sketchAt(index))).toEqual(sketched);
});

test("the service can read every station", () => {
  expect(parseStations(stations)).toHaveLength(count);
});

test("a station with a position is in a city of its country", () => {
  const astray = stations.filter(({ country, geo_lat: lat, geo_long: lon }) => {
    const cities = places().find((place) => place.country === country)?.cities ?? [];
    const isNear = cities.some((city) => Math.hypot(city.lat - Number(lat), city.lon - Number(lon)) < 0.1);
    return country !== "" && lat !== null && lon !== null && lon >= -180 && !isNear;
  });
  expect(astray).toEqual([]);
});

// Roughly the shares counted in the real directory.
test.each<[string, (row: RawStation) => boolean, number, number]>([
  ["the stream of another station", ({ url }) => url.includes("24-7-relay"), 0.03, 0.05],
  ["no resolved URL", ({ url_resolved }) => url_resolved === "", 0.4, 0.6],
  ["no favicon", ({ favicon }) => favicon === "", 0.35, 0.45],
  ["a favicon with the text null", ({ favicon }) => favicon === "null", 0.015, 0.035],
  ["no tags", ({ tags }) => tags === "", 0.28, 0.38],
  ["blanks in the tags", ({ tags }) => tags.includes(", "), 0.0001, 0.005],
  ["an unknown codec", ({ codec }) => codec === "UNKNOWN", 0.02, 0.04],
  ["no bitrate", ({ bitrate }) => bitrate === 0, 0.18, 0.25],
  ["a bitrate in bits", ({ bitrate }) => bitrate === 128_000, 0.00005, 0.001],
  ["a bitrate over the directory's own limit", ({ bitrate }) => bitrate > 1_000_000, 0.00005, 0.001],
  ["blanks around the name", ({ name }) => name !== name.trim(), 0.02, 0.06],
  ["no country", ({ countrycode }) => countrycode === "", 0.015, 0.035],
  ["a country code in lower case", ({ countrycode }) => /[a-z]/.test(countrycode), 0.00001, 0.0001],
  ["a stream that is broken", ({ lastcheckok }) => lastcheckok === 0, 0.005, 0.015],
  ["a resolved stream of the sandbox itself", ({ url_resolved: at }) => at.startsWith(`${streams}/live/`), 0.45, 0.6],
  ["a playlist that is not resolved", ({ url, url_resolved: at }) => url.endsWith(".pls") && at === "", 0, 0],
  ["a stream that does not respond", ({ url }) => url.startsWith("https://"), 0.03, 0.07],
  ["no position", ({ geo_lat }) => geo_lat === null, 0.75, 0.9],
  [
    "a position with more than five decimals",
    ({ geo_lat: lat, geo_long: lon }) => [lat, lon].some((at) => at !== null && !/^-?\d+(\.\d{1,5})?$/.test(String(at))),
    0,
    0,
  ],
  ["only a latitude", ({ geo_lat, geo_long }) => geo_lat !== null && geo_long === null, 0.00005, 0.001],
  ["a position that is nowhere", ({ geo_long }) => Math.abs(geo_long ?? 0) > 180, 0.00005, 0.001],
])("a few of the stations have %s", (_, has, least, most) => {
  const share = stations.filter(has).length / count;
  expect(share).toBeGreaterThanOrEqual(least);
  expect(share).toBeLessThanOrEqual(most);
});
