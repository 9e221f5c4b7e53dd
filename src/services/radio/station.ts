// Parses the directory's stations. Pure. A response must be a list of objects, each with a UUID; otherwise it is refused as a
// whole. Values that cannot be right are treated as unknown.
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Station, StationSchema } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { frozen } from "../frozen.ts";
import { DIRECTORY_NAMES } from "./country/directory-names.ts";
import { knownCount, knownMembers, knownText, knownTimeMs, knownUrl } from "./known-text.ts";

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Above this many kbit/s somebody entered bits instead of kilobits. Such a bitrate is treated as unknown. */
export const KNOWN_BITRATE_MAX = 10_000;

/** The stations of a response, one per row. Throws an Error on an invalid response. */
export const parseStations = (json: unknown): Station[] => rowsOf(json).map(parseStation);

/**
 * The stations that can be returned: without duplicates, stations without a usable stream URL and, unless requested, broken ones.
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

/** The rows of a response: every response of the directory is a list of objects. Throws an Error if it is not. */
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
  if (typeof stationuuid !== "string" || !UUID_PATTERN.test(stationuuid)) {
    throw new Error("a station has no UUID");
  }
  const codec = knownText(row.codec);
  const bitrate = knownCount(row.bitrate);
  const countrycode = knownCountryCode(row.countrycode);
  const checkedMs = knownTimeMs(row.lastchecktime_iso8601);
  const station = create(StationSchema, {
    uuid: stationuuid.toLowerCase(),
    name: knownText(row.name),
    // Half of the stations have no resolved URL, including working ones.
    url: knownUrl(row.url_resolved) || knownUrl(row.url),
    ...present("favicon", knownUrl(row.favicon)),
    homepage: knownUrl(row.homepage),
    tags: knownMembers(row.tags),
    codec: codec.toUpperCase() === "UNKNOWN" ? "" : codec,
    bitrate: bitrate > KNOWN_BITRATE_MAX ? 0 : bitrate,
    votes: knownCount(row.votes),
    clickcount: knownCount(row.clickcount),
    ...present("country", knownText(row.country)),
    ...present("countrycode", countrycode),
    ...present("state", knownText(row.state)),
    ...present("language", knownMembers(lowerCase(row.language)).join(",")),
    ...knownGeo(row.geo_lat, row.geo_long),
    isHls: row.hls === 1,
    broken: row.lastcheckok === 0,
    ...(checkedMs === undefined ? {} : { lastCheckedAt: timestampFromMs(checkedMs) }),
  });
  return frozen(station);
}

/** The code in upper case; empty if ISO 3166-1 has no such code. */
export function knownCountryCode(value: unknown): string {
  const code = knownText(value).toUpperCase();
  return DIRECTORY_NAMES.has(code) ? code : "";
}

const present = <Name extends string>(name: Name, value: string): { [Key in Name]?: string } =>
  value === "" ? {} : ({ [name]: value } as { [Key in Name]: string });

const lowerCase = (value: unknown): unknown => (typeof value === "string" ? value.toLowerCase() : value);

function knownGeo(lat: unknown, lon: unknown): { geo?: { lat: number; lon: number } } {
  const known = typeof lat === "number" && typeof lon === "number" && Math.abs(lat) <= 90 && Math.abs(lon) <= 180;
  return known ? { geo: { lat, lon } } : {};
}
