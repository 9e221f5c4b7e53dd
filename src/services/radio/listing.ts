// Parses the directory's lists of countries and of tags. Pure. Like stations: a wrong shape is refused, a wrong value is cleaned or
// left out.
import { create } from "@bufbuild/protobuf";
import { type Country, CountrySchema, type Tag, TagSchema } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { knownText } from "./known-text.ts";
import { knownCountryCode, rowsOf } from "./station.ts";

const COUNT_MAX = 1_000_000;

/** The countries by code, without those that have no code. Throws an Error on rubbish. */
export function parseCountries(json: unknown): Country[] {
  const countries = new Map<string, Country>();
  for (const row of rowsOf(json)) {
    const stations = stationCountOf(row);
    const code = knownCountryCode(row.iso_3166_1);
    const known = countries.get(code);
    if (known !== undefined) {
      known.stations = Math.min(known.stations + stations, COUNT_MAX);
    } else if (code !== "") {
      countries.set(code, create(CountrySchema, { code, name: knownText(row.name) || code, stations }));
    }
  }
  return [...countries.values()].sort((one, other) => (one.code < other.code ? -1 : 1));
}

/** The tags of an answer, one for each of its rows; the name is empty where it is blank. Throws an Error on rubbish. */
export const parseTags = (json: unknown): Tag[] =>
  rowsOf(json).map((row) => create(TagSchema, { stations: stationCountOf(row), name: knownText(row.name) }));

/** The tags that have a name, most stations first, then by name; those of the same name added up. */
export function mergedTags(rows: readonly Tag[]): Tag[] {
  const stationsOf = new Map<string, number>();
  for (const { name, stations } of rows) {
    if (name !== "") {
      stationsOf.set(name, Math.min((stationsOf.get(name) ?? 0) + stations, COUNT_MAX));
    }
  }
  return [...stationsOf]
    .map(([name, stations]) => create(TagSchema, { name, stations }))
    .sort((one, other) => other.stations - one.stations || (one.name < other.name ? -1 : 1));
}

// The directory's documentation shows the count as a text, its servers send a number. Both are accepted.
function stationCountOf({ stationcount }: Readonly<Record<string, unknown>>): number {
  const count = typeof stationcount === "string" && /^\d{1,7}$/.test(stationcount) ? Number(stationcount) : stationcount;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 0 || count > COUNT_MAX) {
    throw new Error("a row has no count of stations");
  }
  return count;
}
