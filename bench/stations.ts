// The search result that every contender returns: the same 100 stations, with every field.
import { create } from "@bufbuild/protobuf";
import { type Station, StationSchema } from "../gen/quintet/radio/v1/radio_pb.js";

/** `count` stations, always the same. */
export function benchStations(count: number): Station[] {
  return Array.from({ length: count }, (_, index) =>
    create(StationSchema, {
      uuid: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
      name: `Radio ${index} “Café del Mar”`,
      url: `https://stream-${index}.example.org/live/${index}.mp3`,
      favicon: `https://radio-${index}.example.org/favicon.png`,
      homepage: `https://radio-${index}.example.org/`,
      tags: ["jazz", "smooth jazz", "chillout", `genre ${index % 7}`],
      codec: index % 2 === 0 ? "MP3" : "AAC+",
      bitrate: 64 + (index % 5) * 64,
      votes: 100_000 - index * 37,
      clickcount: index * 11,
      country: "Germany",
      countrycode: "DE",
      state: "Bavaria",
      language: "german,english",
      geo: { lat: 48.137 + index / 1000, lon: 11.575 - index / 1000 },
    }),
  );
}
