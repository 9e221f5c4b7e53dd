// Invents the sandbox's stations: always the same for the same seed and number, and with about as many errors as the real directory's. A
// station is generated each time it is needed, so that tens of thousands of them take no memory. Without UUIDs and times, which cost the
// most to write, this is fast enough to go through all of them.
import { seeded } from "../seeded.ts";
import type { RawStation } from "./raw-station.ts";
import { BRANDS, GENRES, type Place, places } from "./world.ts";

/** A station without its UUIDs and times. */
export type StationSketch = Omit<RawStation, `${string}uuid` | `${string}time` | `${string}timestamp` | `${string}_iso8601`>;

/** A list of stations, stored or generated. */
export interface StationList {
  readonly length: number;
  /** The station at an index below `length`. */
  at(index: number): RawStation;
  /** The same without its UUIDs and times, which takes a tenth of the time. */
  sketchAt(index: number): StationSketch;
}

type Random = () => number;

const CODECS = ["MP3", "MP3", "MP3", "MP3", "MP3", "MP3", "AAC+", "AAC+", "AAC", "OGG"];
const BITRATES = [128, 128, 128, 192, 64, 320, 96, 256, 48, 32];
// Bits instead of kilobits, and a number that some stations of the real directory have.
const MISTAKEN_BITRATES = [128_000, 34_400_400];
const SERVER_UUID = "5f2c1a34-7e1b-4d53-9a41-0c6a0d5f7b12";
/** The stations' times count back from here. */
const BASE_MS = Date.UTC(2026, 10, 1);
const DAY_MS = 86_400_000;
/** The share of stations whose streams are gone. */
const GONE_SHARE = 0.05;
/** The width of a city, in degrees. */
const CITY_DEGREES = 0.12;

/** `length` invented stations, with streams and pictures at `streams`, such as `http://127.0.0.1:9000`. */
export function inventStations(seed: number, length: number, streams: string): StationList {
  let weighted: readonly Place[] | undefined;
  const drawn = (index: number): Drawn => {
    // Each place appears `weight` times, so that picking one means picking an index.
    weighted ??= places().flatMap((place) => Array.from({ length: place.weight }, () => place));
    const random = seeded(seed ^ Math.imul(index + 1, 0x85ebca6b));
    return draw(index, pick(weighted, random()), random, streams);
  };
  return {
    length,
    at: (index) => wholeStation(drawn(index)),
    sketchAt: (index) => drawn(index).sketch,
  };
}

/** A station, and what its UUIDs and times are derived from. */
interface Drawn {
  readonly sketch: StationSketch;
  readonly change: readonly number[];
  readonly station: readonly number[];
  readonly isServerKnown: boolean;
  readonly changedDaysAgo: number;
  readonly checkedDaysAgo: number;
  /** Undefined if the station has no clicks. */
  readonly clickedDaysAgo: number | undefined;
}

function wholeStation({
  sketch,
  change,
  station,
  isServerKnown,
  changedDaysAgo,
  checkedDaysAgo,
  clickedDaysAgo,
}: Drawn): RawStation {
  const changed = timeOf(changedDaysAgo);
  const checked = timeOf(checkedDaysAgo);
  const clicked = clickedDaysAgo === undefined ? UNKNOWN_TIME : timeOf(clickedDaysAgo);
  return {
    ...sketch,
    changeuuid: uuidOf(change),
    stationuuid: uuidOf(station),
    serveruuid: isServerKnown ? SERVER_UUID : null,
    lastchangetime: changed.plain,
    lastchangetime_iso8601: changed.iso,
    lastchecktime: checked.plain,
    lastchecktime_iso8601: checked.iso,
    lastcheckoktime: checked.plain,
    lastcheckoktime_iso8601: checked.iso,
    lastlocalchecktime: checked.plain,
    lastlocalchecktime_iso8601: checked.iso,
    clicktimestamp: clicked.plain,
    clicktimestamp_iso8601: clicked.iso,
  };
}

// All random choices are made in this order, so that a station is the same whatever part of it is read.
function draw(index: number, place: Place, random: Random, streams: string): Drawn {
  const brand = pick(BRANDS, random());
  const genre = pick(GENRES, random() ** 1.6);
  // In the real directory, a quarter of the stations share a stream with others.
  const slug = index % 25 === 24 ? `24-7-relay-${Math.floor(index / 1000)}` : `${slugOf(brand)}-${index}`;
  const lacksPlace = random() < 0.025;
  const lacksLanguage = random() < 0.33;
  const changedDaysAgo = random() * 1500;
  const checkedDaysAgo = random();
  const clickedDaysAgo = random() < 0.27 ? undefined : random() * 90;
  const change = uuidDraws(random);
  const station = uuidDraws(random);
  const isServerKnown = random() >= 0.05;
  const name = nameOf(brand, pick(genre, 0), random);
  const addresses = addressesOf(slug, random, streams);
  const tags = tagsOf(genre, random);
  const iso_3166_2 = random() < 0.001 ? null : "";
  const state = stateOf(place, random);
  const votes = Math.floor(random() ** 9 * 250_000 + random() * 40);
  const codec = random() < 0.03 ? "UNKNOWN" : random() < 0.001 ? "" : pick(CODECS, random());
  const bitrate = random() < 0.21 ? 0 : random() < 0.0003 ? pick(MISTAKEN_BITRATES, random()) : pick(BITRATES, random() ** 1.4);
  const hls = random() < 0.05 ? 1 : 0;
  const lastcheckok = random() < 0.01 ? 0 : 1;
  const clickcount = Math.floor(random() ** 8 * 3000);
  const clicktrend = Math.floor((random() - 0.5) * 10);
  const ssl_error = random() < 0.01 ? 1 : 0;
  const position = positionOf(place, state, random);
  const sketch = {
    name,
    url: addresses.url,
    url_resolved: addresses.url_resolved,
    homepage: addresses.homepage,
    favicon: addresses.favicon,
    tags,
    country: lacksPlace ? "" : place.country,
    // One row of the real directory has its code in lower case.
    countrycode: lacksPlace ? "" : index === 7 ? place.code.toLowerCase() : place.code,
    iso_3166_2,
    state,
    language: lacksLanguage ? "" : place.language,
    languagecodes: lacksLanguage ? "" : place.languagecodes,
    // A few stations have most of the votes.
    votes,
    codec,
    bitrate,
    hls,
    lastcheckok,
    clickcount,
    clicktrend,
    ssl_error,
    geo_lat: position.geo_lat,
    geo_long: position.geo_long,
    geo_distance: null,
    has_extended_info: random() < 0.02,
  };
  return { sketch, change, station, isServerKnown, changedDaysAgo, checkedDaysAgo, clickedDaysAgo };
}

// The list is never empty; `share` is in [0, 1).
const pick = <Item>(items: readonly Item[], share: number): Item => items[Math.floor(share * items.length)] as Item;

function nameOf(brand: string, genre: string, random: Random): string {
  const frequency = (87.5 + Math.floor(random() * 205) / 10).toFixed(1);
  const title = `${genre.charAt(0).toUpperCase()}${genre.slice(1)}`;
  const name = pick(
    [`Radio ${brand}`, `${brand} FM`, `${brand} ${frequency}`, `${brand} ${title}`, `${title} Radio ${brand}`],
    random(),
  );
  const chance = random();
  return chance < 0.02 ? ` ${name}` : chance < 0.04 ? `${name}  ` : chance < 0.041 ? `\t${name}` : name;
}

function tagsOf(genre: readonly string[], random: Random): string {
  const count = random() < 0.33 ? 0 : 1 + Math.floor(random() * genre.length);
  const tags = genre.slice(0, count);
  // A few rows have spaces after the commas, and a few an empty tag.
  const chance = random();
  return chance < 0.002 ? tags.join(", ") : chance < 0.003 ? [...tags, ""].join(",") : tags.join(",");
}

function stateOf({ states }: Place, random: Random): string {
  return random() < 0.55 || states.length === 0 ? "" : random() < 0.002 ? "null" : pick(states, random());
}

function addressesOf(
  slug: string,
  random: Random,
  streams: string,
): Pick<RawStation, "url" | "url_resolved" | "homepage" | "favicon"> {
  // A few addresses do not respond: as in the real directory, some streams that were found working no longer work.
  const isGone = random() < GONE_SHARE;
  const live = isGone ? `https://${slug}.radio.example/live` : `${streams}/live/${slug}`;
  const chance = random();
  const isPlaylist = random() < 0.2 && !isGone;
  // Browsers do not play playlists, so those are always resolved.
  const isResolved = random() >= 0.52 || isPlaylist;
  return {
    url: isPlaylist ? `${streams}/listen/${slug}.pls` : live,
    url_resolved: isResolved ? live : "",
    homepage: random() < 0.05 ? "" : `https://${slug}.example/`,
    favicon:
      chance < 0.4
        ? ""
        : chance < 0.423
          ? "null"
          : chance < 0.4232
            ? "data:image/png;base64,AAAA"
            : isGone
              ? `https://${slug}.example/icon.png`
              : `${streams}/pictures/${slug}.svg`,
  };
}

function positionOf({ cities }: Place, state: string, random: Random): Pick<RawStation, "geo_lat" | "geo_long"> {
  const chance = random();
  const [which, east] = [random(), random()];
  const named = cities.filter((city) => city.state === state);
  const near = named.length === 0 ? cities : named;
  const city = near[Math.floor(which * near.length)];
  if (city === undefined || chance < 0.8) {
    return { geo_lat: null, geo_long: null };
  }
  // Reuses the fractional part of the random number that chose the city as the latitude within the city.
  const north = (which * near.length) % 1;
  const lat = degrees(city.lat + (north - 0.5) * CITY_DEGREES);
  const lon = degrees(city.lon + (east - 0.5) * CITY_DEGREES);
  // Some stations have only a latitude, and some have an impossible longitude.
  return { geo_lat: lat, geo_long: chance < 0.8005 ? null : chance < 0.801 ? degrees(lon - 360) : lon };
}

// Five decimals are about a metre.
const degrees = (value: number): number => Math.round(value * 1e5) / 1e5;

const uuidDraws = (random: Random): readonly number[] => [random(), random(), random(), random(), random(), random(), random()];

function uuidOf([first = 0, second = 0, third = 0, variant = 0, fourth = 0, fifth = 0, sixth = 0]: readonly number[]): string {
  const hex = (digits: number, draw: number): string =>
    Math.floor(draw * 16 ** digits)
      .toString(16)
      .padStart(digits, "0");
  const group = `${pick(["8", "9", "a", "b"], variant)}${hex(3, fourth)}`;
  return `${hex(8, first)}-${hex(4, second)}-4${hex(3, third)}-${group}-${hex(6, fifth)}${hex(6, sixth)}`;
}

interface Time {
  readonly plain: string;
  readonly iso: string | null;
}

const UNKNOWN_TIME: Time = { plain: "", iso: null };

function timeOf(daysAgo: number): Time {
  const iso = `${new Date(BASE_MS - daysAgo * DAY_MS).toISOString().slice(0, 19)}Z`;
  return { plain: iso.replace("T", " ").replace("Z", ""), iso };
}

const SLUGS: ReadonlyMap<string, string> = new Map(
  BRANDS.map((brand) => [
    brand,
    brand
      .normalize("NFD")
      .replace(/[^A-Za-z]+/g, "")
      .toLowerCase(),
  ]),
);
const slugOf = (brand: string): string => SLUGS.get(brand) ?? "";
