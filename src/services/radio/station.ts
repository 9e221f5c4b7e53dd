// Parses the directory's stations. Pure. An answer must be a list of objects, each with a UUID; otherwise it is refused as a whole.
// Values that cannot be right are treated as unknown.
import { create } from "@bufbuild/protobuf";
import { type Station, StationSchema } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { frozen } from "../frozen.ts";
import { knownCount, knownMembers, knownText, knownUrl } from "./known-text.ts";

/** One station of the directory. */
export interface DirectoryStation {
  readonly station: Station;
  /** Its stream was broken when the directory last checked it. */
  readonly broken: boolean;
}

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Above this many kbit/s somebody entered bits instead of kilobits. Such a bitrate is treated as unknown. */
export const KNOWN_BITRATE_MAX = 10_000;

/** The stations of an answer, one for each of its rows. Throws an Error on rubbish. */
export const parseStations = (json: unknown): DirectoryStation[] => rowsOf(json).map(parseStation);

/** The stations that can be answered: without repetitions, broken stations and stations without a usable stream URL. */
export function usableStations(rows: readonly DirectoryStation[]): Station[] {
  const stations = new Map<string, Station>();
  for (const { station, broken } of rows) {
    if (!broken && station.url !== "" && !stations.has(station.uuid)) {
      stations.set(station.uuid, station);
    }
  }
  return [...stations.values()];
}

/** The rows of an answer: every answer of the directory is a list of objects. Throws an Error where it is not. */
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

function parseStation(row: Readonly<Record<string, unknown>>): DirectoryStation {
  const { stationuuid } = row;
  if (typeof stationuuid !== "string" || !UUID_PATTERN.test(stationuuid)) {
    throw new Error("a station has no UUID");
  }
  const codec = knownText(row.codec);
  const bitrate = knownCount(row.bitrate);
  const countrycode = knownCountryCode(row.countrycode);
  const station = create(StationSchema, {
    uuid: stationuuid.toLowerCase(),
    name: knownText(row.name),
    // Half of the stations have no resolved URL, working ones among them.
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
  });
  return { station: frozen(station), broken: row.lastcheckok === 0 };
}

/** The code in upper case; empty where it is not two letters. */
export function knownCountryCode(value: unknown): string {
  const code = knownText(value).toUpperCase();
  return /^[A-Z]{2}$/.test(code) ? code : "";
}

const present = <Name extends string>(name: Name, value: string): { [Key in Name]?: string } =>
  value === "" ? {} : ({ [name]: value } as { [Key in Name]: string });

const lowerCase = (value: unknown): unknown => (typeof value === "string" ? value.toLowerCase() : value);

function knownGeo(lat: unknown, lon: unknown): { geo?: { lat: number; lon: number } } {
  const known = typeof lat === "number" && typeof lon === "number" && Math.abs(lat) <= 90 && Math.abs(lon) <= 180;
  return known ? { geo: { lat, lon } } : {};
}
