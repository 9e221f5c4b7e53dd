// The data of the sandbox's radio directory: stations by filter, order and page, and the lists that are counted from them. Nothing is done before
// it is asked for: an order is sorted then and kept, and so is what filters look at of each station that they come to.
import { seeded } from "../../../upstream/stand-in/seeded.ts";
import { folded } from "./collation.ts";
import type { StationList, StationSketch } from "./invented-stations.ts";
import type { RawStation } from "./raw-station.ts";
import { type Traits, traitsOf } from "./station-filter.ts";

/** A name with a number of stations. */
export interface CountedName {
  readonly name: string;
  readonly stationcount: number;
}

/** A country with a number of stations. */
interface CountedCountry extends CountedName {
  /** The alpha-2 code, as its stations have it. */
  readonly iso_3166_1: string;
}

/** Which part of a listing, in which order. */
export interface Page {
  /** An order that the directory does not know means `name`. */
  readonly order: string;
  readonly reverse: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** The data. */
export interface Catalogue {
  readonly length: number;
  /** One page of the stations that pass the test. */
  search(passes: (traits: Traits) => boolean, page: Page): readonly RawStation[];
  /** The stations that have one of these UUIDs, in the data's own order. */
  byUuids(uuids: readonly string[]): readonly RawStation[];
  /** All countries, by code. */
  countries(hideBroken: boolean): readonly CountedCountry[];
  /** All tags, by name. */
  tags(hideBroken: boolean): readonly CountedName[];
}

type SortKey = string | number;

const sketchKeys: Readonly<Record<string, (station: StationSketch) => SortKey>> = {
  name: ({ name }) => folded(name),
  url: ({ url }) => folded(url),
  homepage: ({ homepage }) => folded(homepage),
  favicon: ({ favicon }) => folded(favicon),
  tags: ({ tags }) => folded(tags),
  country: ({ country }) => folded(country),
  state: ({ state }) => folded(state),
  language: ({ language }) => folded(language),
  votes: ({ votes }) => votes,
  codec: ({ codec }) => folded(codec),
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

/** A catalogue of the stations. */
export function createCatalogue(stations: StationList): Catalogue {
  const indexes = Array.from({ length: stations.length }, (_, index) => index);
  const traits: Traits[] = [];
  const orders = new Map<string, readonly number[]>();
  const random = seeded(stations.length);
  let indexOfUuid: ReadonlyMap<string, number> | undefined;

  const traitsAt = (index: number): Traits => {
    const known = traits[index] ?? traitsOf(stations.sketchAt(index));
    traits[index] = known;
    return known;
  };

  // Counting goes through all stations: once is enough, as they never change.
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

    countries: counted(countCountries),
    tags: counted(countTags),
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

/** The directory's own list of tags leaves out those that are longer, which are sentences. */
const TAG_BYTES_MAX = 109;

function countTags(stations: Iterable<StationSketch>): CountedName[] {
  const tags = new Map<string, number>();
  for (const station of stations) {
    // A tag that a station has twice counts twice.
    for (const tag of station.tags.split(",").map((part) => part.trim().toLowerCase())) {
      tags.set(tag, (tags.get(tag) ?? 0) + 1);
    }
  }
  tags.delete("");
  return [...tags]
    .filter(([name]) => Buffer.byteLength(name) <= TAG_BYTES_MAX)
    .map(([name, stationcount]) => ({ name, stationcount }))
    .sort((one, other) => (folded(one.name) < folded(other.name) ? -1 : 1));
}

// The indexes of the keys, the smallest key first; of equal ones the first.
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
