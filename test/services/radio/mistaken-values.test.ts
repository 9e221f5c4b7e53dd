// Working stations whose bitrate or position cannot be right and is shown as unknown: searches must match what is shown.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RadioScene, startRadioScene } from "./radio-scene.ts";
import { rawStation } from "./raw-row.ts";

const stations = [
  { name: "Bits", bitrate: 128_000 },
  { name: "Doubled", bitrate: 34_400_400 },
  { name: "Half", bitrate: 0, geo_long: null },
  { name: "High", bitrate: 320 },
  { name: "Low", bitrate: 32 },
  { name: "Nowhere", bitrate: 64, geo_long: -273.2 },
  { name: "Playlist", bitrate: 96, url: "http://playlist.example/listen.pls", url_resolved: "https://two words/" },
].map((changes, index) => rawStation({ stationuuid: `5a000000-0000-4000-8000-00000000000${index}`, ...changes }));

let scene: RadioScene;

beforeAll(async () => {
  scene = await startRadioScene(stations);
});

afterAll(() => scene.close());

test.each<[Parameters<RadioScene["client"]["searchStations"]>[0], string, boolean]>([
  [{}, "Bits:0 Doubled:0 Half:0 High:320 Low:32 Nowhere:64 Playlist:96", false],
  [{ bitrateMin: 0 }, "Bits:0 Doubled:0 Half:0 High:320 Low:32 Nowhere:64 Playlist:96", false],
  [{ bitrateMin: 1 }, "High:320 Low:32 Nowhere:64 Playlist:96", false],
  [{ bitrateMin: 64, bitrateMax: 10_000 }, "High:320 Nowhere:64 Playlist:96", false],
  [{ bitrateMax: 64 }, "Half:0 Low:32 Nowhere:64", false],
  [{ order: "bitrate" }, "Half:0 Low:32 Nowhere:64 Playlist:96 High:320", false],
  [{ order: "bitrate", reverse: true, limit: 2 }, "High:320 Playlist:96", true],
  // A page is not filled up for what it leaves out, so pages do not overlap.
  [{ hasGeo: true, limit: 5 }, "Bits:0 Doubled:0 High:320 Low:32", true],
  [{ hasGeo: true, limit: 5, offset: 5 }, "Playlist:96", false],
  [{ hasGeo: false }, "Half:0", false],
  [{ httpsOnly: true }, "Bits:0 Doubled:0 Half:0 High:320 Low:32 Nowhere:64", false],
])("searching for %j finds %s", async (request, found, hasMore) => {
  const response = await scene.client.searchStations(request);
  expect([response.results.map(({ name, bitrate }) => `${name}:${bitrate}`).join(" "), response.nextOffset !== undefined]).toEqual([
    found,
    hasMore,
  ]);
});
