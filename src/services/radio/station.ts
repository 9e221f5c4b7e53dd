// Parses the directory's stations. Pure. A response must be a list of objects, each with a UUID; otherwise it is refused as a
// whole. Values that cannot be right are treated as unknown.
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { type Geo, GeoSchema, type Station, StationSchema } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { DIRECTORY_NAMES } from "./country/directory-names.ts";
import { knownCount, knownMembers, knownText, knownTimeMs, knownUrl } from "./known-text.ts";
import { lastingUrl } from "./stream-url.ts";

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** A value above this many kbit/s was entered in bits instead of kilobits. Such a bitrate is treated as unknown. */
export const KNOWN_BITRATE_MAX = 10_000;

/** The stations of a response, one per row. Throws an Error on an invalid response. */
export const parseStations = (json: unknown): Station[] => rowsOf(json).map(parseStation);

/**
 * The stations that can be returned. Leaves out duplicates, stations without a usable stream URL and, unless requested, broken stations.
 */
export function usableStations(rows: readonly Station[], includeBroken: boolean): Station[] {
  const stations = new Map<string, Station>();
  for (const station of rows) {
    if ((includeBroken || !station.broken) && station.url !== "" && !stations.has(station.uuid)) {
      stations.set(station.uuid, station);
    }
  }
  return [...stations.values()];
}

/** The first station of each stream, in the same order. */
export function distinctStreams<Row extends Pick<Station, "url">>(stations: readonly Row[]): Row[] {
  const streams = new Map<string, Row>();
  for (const station of stations) {
    const stream = station.url.replace(/^https?:\/\//i, "").replace(/[/;]+$/, "");
    if (!streams.has(stream)) {
      streams.set(stream, station);
    }
  }
  return [...streams.values()];
}

/** The rows of a response: every response from the directory is a list of objects. Throws an Error if it is not. */
export function rowsOf(json: unknown): Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(json)) {
    throw new Error("not a list");
  }
  return json.map((row: unknown, index) => {
    if (typeof row !== "object" || row === null || Array.isArray(row)) {
      throw new Error(`row ${index} is not an object`);
    }
    return row as Record<string, unknown>;
  });
}

function parseStation(row: Readonly<Record<string, unknown>>): Station {
  const { stationuuid } = row;
  const resolved = knownUrl(row.url_resolved);
  if (typeof stationuuid !== "string" || !UUID_PATTERN.test(stationuuid)) {
    throw new Error("a station has no UUID");
  }
  const codec = knownText(row.codec);
  const bitrate = knownCount(row.bitrate);
  // Written out in full, with its type name, because having protobuf-es complete it is slower. Frozen in full, so that its JSON is only
  // written once (gateway/rest/rest-text.ts), and part by part: walking through the members of each station took half of the time.
  return Object.freeze<Station>({
    $typeName: StationSchema.typeName,
    uuid: stationuuid.toLowerCase(),
    name: knownText(row.name),
    // Half of the stations have no resolved URL, including working ones.
    url: lastingUrl(knownUrl(row.url), resolved),
    urlResolved: present(resolved),
    favicon: present(knownUrl(row.favicon)),
    homepage: knownUrl(row.homepage),
    tags: frozenList(knownMembers(row.tags)),
    codec: codec.toUpperCase() === "UNKNOWN" ? "" : codec,
    bitrate: bitrate > KNOWN_BITRATE_MAX ? 0 : bitrate,
    votes: knownCount(row.votes),
    clickcount: knownCount(row.clickcount),
    country: present(knownText(row.country)),
    countrycode: present(knownCountryCode(row.countrycode)),
    state: present(knownText(row.state)),
    language: present(knownMembers(lowerCase(row.language)).join(",")),
    geo: knownGeo(row.geo_lat, row.geo_long),
    hls: row.hls === 1,
    broken: row.lastcheckok === 0,
    lastCheckedAt: timestampOf(knownTimeMs(row.lastchecktime_iso8601)),
  });
}

/** The code in upper case; empty if ISO 3166-1 has no such code. */
export function knownCountryCode(value: unknown): string {
  const code = knownText(value).toUpperCase();
  return DIRECTORY_NAMES.has(code) ? code : "";
}

// The type allows changes, like the types of all messages.
const frozenList = (list: string[]): string[] => {
  Object.freeze(list);
  return list;
};

// An optional field is absent if its value is unknown.
const present = (value: string): string | undefined => (value === "" ? undefined : value);

const lowerCase = (value: unknown): unknown => (typeof value === "string" ? value.toLowerCase() : value);

function knownGeo(lat: unknown, lon: unknown): Geo | undefined {
  const known = typeof lat === "number" && typeof lon === "number" && Math.abs(lat) <= 90 && Math.abs(lon) <= 180;
  return known ? Object.freeze<Geo>({ $typeName: GeoSchema.typeName, lat, lon }) : undefined;
}

const timestampOf = (timeMs: number | undefined): Timestamp | undefined =>
  timeMs === undefined
    ? undefined
    : Object.freeze<Timestamp>({ $typeName: TimestampSchema.typeName, seconds: BigInt(timeMs / 1000), nanos: 0 });
