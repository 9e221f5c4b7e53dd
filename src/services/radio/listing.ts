// Parses the directory's lists of countries, tags, languages, states and codecs. Pure. As with stations, a wrong shape is refused,
// and a wrong value is cleaned or left out.
import { create } from "@bufbuild/protobuf";
import {
  type Codec,
  CodecSchema,
  type Country,
  CountrySchema,
  type Language,
  LanguageSchema,
  type State,
  StateSchema,
  type Tag,
  TagSchema,
} from "../../../gen/quintet/radio/v1/radio_pb.js";
import { codeOfCountry } from "./country/country-names.ts";
import { knownText } from "./known-text.ts";
import { knownCountryCode, rowsOf } from "./station.ts";

const COUNT_MAX = 1_000_000;

/** The countries in the order of their codes. Rows without a code are left out. Throws an Error on an invalid response. */
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

/** The tags of a response, one per row; the name may be blank. Throws an Error on an invalid response. */
export const parseTags = (json: unknown): Tag[] =>
  rowsOf(json).map((row) => create(TagSchema, { stations: stationCountOf(row), name: knownText(row.name) }));

/** The same for languages. */
export const parseLanguages = (json: unknown): Language[] =>
  rowsOf(json).map((row) => {
    const code = knownText(row.iso_639).toLowerCase();
    const known = /^[a-z]{2,3}$/.test(code) ? { code } : {};
    return create(LanguageSchema, { stations: stationCountOf(row), name: knownText(row.name).toLowerCase(), ...known });
  });

/** The same for states. */
export const parseStates = (json: unknown): State[] =>
  rowsOf(json).map((row) => {
    const country = knownText(row.country);
    const code = country === "" ? undefined : codeOfCountry(country);
    return create(StateSchema, {
      stations: stationCountOf(row),
      name: knownText(row.name),
      ...(country === "" ? {} : { country }),
      ...(code === undefined ? {} : { countrycode: code }),
    });
  });

/** The same for codecs. An unknown codec becomes an empty string. */
export const parseCodecs = (json: unknown): Codec[] =>
  rowsOf(json).map((row) => {
    const name = knownText(row.name);
    return create(CodecSchema, { stations: stationCountOf(row), name: name.toUpperCase() === "UNKNOWN" ? "" : name });
  });

interface Counted {
  readonly name: string;
  readonly country?: string | undefined;
  stations: number;
}

/** The rows that have a name, most stations first, then by name. Rows with the same name and country are added up. */
export function merged<Row extends Counted>(rows: readonly Row[]): Row[] {
  const known = new Map<string, Row>();
  for (const row of rows) {
    const key = `${row.name}\n${row.country ?? ""}`;
    const same = known.get(key);
    if (row.name !== "") {
      known.set(key, same === undefined ? { ...row } : { ...same, stations: Math.min(same.stations + row.stations, COUNT_MAX) });
    }
  }
  return [...known.values()].sort((one, other) => other.stations - one.stations || (one.name < other.name ? -1 : 1));
}

// The directory documents the count as a string, but sends a number. Both are accepted.
function stationCountOf({ stationcount }: Readonly<Record<string, unknown>>): number {
  const count = typeof stationcount === "string" && /^\d{1,7}$/.test(stationcount) ? Number(stationcount) : stationcount;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 0 || count > COUNT_MAX) {
    throw new Error("a row has no count of stations");
  }
  return count;
}
