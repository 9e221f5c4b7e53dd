// The data of the sandbox's radio directory: stations by filter, order and page, and the lists counted from them. Everything is computed on
// demand. Each order is kept once it is sorted, and so are the traits of stations that filters have examined.
import { seeded } from "../seeded.ts";
import { folded } from "./collation.ts";
import type { StationList, StationSketch } from "./invented-stations.ts";
import type { RawStation } from "./raw-station.ts";
import { type Traits, traitsOf } from "./station-filter.ts";

/** A name with a number of stations. */
export interface CountedName {
  readonly name: string;
  readonly stationcount: number;
}

interface CountedCountry extends CountedName {
  /** The alpha-2 code, in the case in which its stations have it. */
  readonly iso_3166_1: string;
}

/** A language with a number of stations. */
interface CountedLanguage extends CountedName {
  /** The ISO 639 code; null if the directory knows none. */
  readonly iso_639: string | null;
}

interface CountedState extends CountedName {
  readonly country: string;
}

/** Which part of a listing to return, and in which order. */
export interface Page {
  /** An unknown order means `name`. */
  readonly order: string;
  readonly reverse: boolean;
  readonly offset: number;
  readonly limit: number;
}

export interface Catalogue {
  readonly length: number;
  /** One page of the stations that pass the test. */
  search(passes: (traits: Traits) => boolean, page: Page): readonly RawStation[];
  /** The stations with one of these UUIDs, in the data's own order. */
  byUuids(uuids: readonly string[]): readonly RawStation[];
  /**
   * Counts a play of a station, once per address and day; here there is only one address and one day. Undefined if there is no
   * such station.
   */
  click(uuid: string): RawStation | undefined;
  /** How many plays have been counted. */
  clickCount(): number;
  /** All countries, by code. */
  countries(hideBroken: boolean): readonly CountedCountry[];
  /** All tags, by name. */
  tags(hideBroken: boolean): readonly CountedName[];
  /** All languages, by name. */
  languages(hideBroken: boolean): readonly CountedLanguage[];
  /** All states of all countries, by name. */
  states(hideBroken: boolean): readonly CountedState[];
  /** All codecs, by name. */
  codecs(hideBroken: boolean): readonly CountedName[];
}

type SortKey = string | number;

// Only names and states are ordered without case and accents.
const sketchKeys: Readonly<Record<string, (station: StationSketch) => SortKey>> = {
  name: ({ name }) => folded(name),
  url: ({ url }) => url,
  homepage: ({ homepage }) => homepage,
  favicon: ({ favicon }) => favicon,
  tags: ({ tags }) => tags,
  country: ({ country }) => country,
  state: ({ state }) => folded(state),
  language: ({ language }) => language,
  votes: ({ votes }) => votes,
  codec: ({ codec }) => codec,
  bitrate: ({ bitrate }) => bitrate,
  lastcheckok: ({ lastcheckok }) => lastcheckok,
  clickcount: ({ clickcount }) => clickcount,
  clicktrend: ({ clicktrend }) => clicktrend,
};

const timeKeys: Readonly<Record<string, (station: RawStation) => SortKey>> = {
  lastchecktime: ({ lastchecktime }) => lastchecktime,
  clicktimestamp: ({ clicktimestamp }) => clicktimestamp,
  changetimestamp: ({ lastchangetime }) => lastchangetime,
};

export function createCatalogue(stations: StationList): Catalogue {
  const indexes = Array.from({ length: stations.length }, (_, index) => index);
  const traits: Traits[] = [];
  const orders = new Map<string, readonly number[]>();
  const random = seeded(stations.length);
  const clicked = new Set<string>();
  let indexOfUuid: ReadonlyMap<string, number> | undefined;

  const traitsAt = (index: number): Traits => {
    const known = traits[index] ?? traitsOf(stations.sketchAt(index));
    traits[index] = known;
    return known;
  };

  // Counting goes through all stations, which never change, so it is done once.
  const counted = <Row>(count: (stations: Iterable<StationSketch>) => readonly Row[]) => {
    const known = new Map<boolean, readonly Row[]>();
    return (hideBroken: boolean): readonly Row[] => {
      const counting = Iterator.from(indexes)
        .map((index) => stations.sketchAt(index))
        .filter(({ lastcheckok }) => !hideBroken || lastcheckok === 1);
      const rows = known.get(hideBroken) ?? count(counting);
      known.set(hideBroken, rows);
      return rows;
    };
  };

  const sorted = (order: string): readonly number[] | undefined => {
    const [sketchKey, timeKey] = [keyOf(sketchKeys, order), keyOf(timeKeys, order)];
    return sketchKey !== undefined
      ? sortedBy(indexes.map((index) => sketchKey(stations.sketchAt(index))))
      : timeKey && sortedBy(indexes.map((index) => timeKey(stations.at(index))));
  };

  const ordered = (order: string): readonly number[] => {
    const known = orders.get(order) ?? sorted(order);
    if (known === undefined) {
      return ordered("name");
    }
    orders.set(order, known);
    return known;
  };

  return {
    length: stations.length,

    search(passes, { order, reverse, offset, limit }) {
      if (order === "random") {
        const found = shuffled(
          indexes.filter((index) => passes(traitsAt(index))),
          random,
        );
        return found.slice(offset, offset + limit).map((index) => stations.at(index));
      }
      const inOrder = ordered(order);
      const found: RawStation[] = [];
      let skipped = 0;
      for (let step = 0; step < inOrder.length && found.length < limit; step += 1) {
        const index = inOrder[reverse ? inOrder.length - 1 - step : step] as number;
        if (!passes(traitsAt(index))) {
          continue;
        }
        if (skipped < offset) {
          skipped += 1;
        } else {
          found.push(stations.at(index));
        }
      }
      return found;
    },

    byUuids(uuids) {
      indexOfUuid ??= new Map(indexes.map((index) => [stations.at(index).stationuuid, index]));
      const known = indexOfUuid;
      const found = new Set(uuids.flatMap((uuid) => known.get(uuid.toLowerCase()) ?? []));
      return [...found].sort((one, other) => one - other).map((index) => stations.at(index));
    },

    click(uuid) {
      const [station] = uuid === uuid.toLowerCase() ? this.byUuids([uuid]) : [];
      if (station !== undefined) {
        clicked.add(uuid);
      }
      return station;
    },
    clickCount: () => clicked.size,

    countries: counted(countCountries),
    tags: counted((all) => countMembers(all, ({ tags }) => tags)),
    languages: counted(countLanguages),
    states: counted(countStates),
    codecs: counted((all) => byName(countOf(all, ({ codec }) => [codec]))),
  };
}

const keyOf = <Key>(keys: Readonly<Record<string, Key>>, order: string): Key | undefined =>
  Object.hasOwn(keys, order) ? keys[order] : undefined;

function countCountries(stations: Iterable<StationSketch>): CountedCountry[] {
  const countries = new Map<string, { name: string; stationcount: number }>();
  for (const { country, countrycode } of stations) {
    const entry = countries.get(countrycode) ?? { name: country, stationcount: 0 };
    entry.stationcount += 1;
    countries.set(countrycode, entry);
  }
  countries.delete("");
  return [...countries]
    .map(([code, { name, stationcount }]) => ({ name, iso_3166_1: code, stationcount }))
    .sort((one, other) => (one.iso_3166_1 < other.iso_3166_1 ? -1 : 1));
}

/** The directory's own lists of tags and languages leave out longer ones, which are sentences. */
const MEMBER_BYTES_MAX = 109;

// A member that a station has twice counts twice.
const countMembers = (stations: Iterable<StationSketch>, listOf: (station: StationSketch) => string): CountedName[] =>
  byName(
    countOf(stations, (station) =>
      listOf(station)
        .split(",")
        .map((part) => part.trim().toLowerCase()),
    ),
  ).filter(({ name }) => Buffer.byteLength(name) <= MEMBER_BYTES_MAX);

// The directory only has codes for languages with an English name in ISO 639.
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

function codesOfLanguages(): ReadonlyMap<string, string> {
  const english = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });
  const codes = [...LETTERS].flatMap((first) => [...LETTERS].map((second) => first + second));
  return new Map(codes.flatMap((code) => [[(english.of(code) ?? "").toLowerCase(), code] as const]));
}

function countLanguages(stations: Iterable<StationSketch>): CountedLanguage[] {
  const codes = codesOfLanguages();
  return countMembers(stations, ({ language }) => language).map((row) => ({ ...row, iso_639: codes.get(row.name) ?? null }));
}

// States whose names differ only in case or accents count as one.
function countStates(stations: Iterable<StationSketch>): CountedState[] {
  const states = new Map<string, { name: string; country: string; stationcount: number }>();
  for (const { state, country } of stations) {
    const key = `${folded(state)}\n${country}`;
    const entry = states.get(key) ?? { name: state, country, stationcount: 0 };
    entry.stationcount += 1;
    if (state !== "") {
      states.set(key, entry);
    }
  }
  return [...states.values()].sort((one, other) => (folded(one.name) < folded(other.name) ? -1 : 1));
}

function countOf(stations: Iterable<StationSketch>, namesOf: (station: StationSketch) => readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const station of stations) {
    for (const name of namesOf(station)) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  counts.delete("");
  return counts;
}

const byName = (counts: ReadonlyMap<string, number>): CountedName[] =>
  [...counts].map(([name, stationcount]) => ({ name, stationcount })).sort((one, other) => (one.name < other.name ? -1 : 1));

// The indexes of the keys in ascending order; equal keys keep their order.
function sortedBy(keys: readonly SortKey[]): readonly number[] {
  return keys
    .map((_, index) => index)
    .sort((one, other) => {
      const [left, right] = [keys[one] as SortKey, keys[other] as SortKey];
      return left < right ? -1 : left > right ? 1 : one - other;
    });
}

function shuffled(items: number[], random: () => number): number[] {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const chosen = Math.floor(random() * (last + 1));
    [items[last], items[chosen]] = [items[chosen] as number, items[last] as number];
  }
  return items;
}
