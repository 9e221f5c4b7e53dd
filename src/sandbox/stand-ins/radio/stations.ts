// The sandbox's stations: rows as the radio directory writes them, with about as many faults as its own. They are invented.
import { DIRECTORY_NAMES } from "../../../services/radio/country/directory-names.ts";
import file from "./stations.json" with { type: "json" };

/** One row of the directory's responses. Times are `YYYY-MM-DD HH:mm:ss` UTC, empty when unknown; flags are 0 or 1. */
export interface RawStation {
  readonly changeuuid: string;
  readonly stationuuid: string;
  readonly serveruuid: string | null;
  readonly name: string;
  readonly url: string;
  readonly url_resolved: string;
  readonly homepage: string;
  readonly favicon: string;
  /** Separated by commas. */
  readonly tags: string;
  readonly country: string;
  readonly countrycode: string;
  readonly iso_3166_2: string | null;
  readonly state: string;
  /** Separated by commas. */
  readonly language: string;
  readonly languagecodes: string;
  readonly votes: number;
  readonly lastchangetime: string;
  readonly lastchangetime_iso8601: string | null;
  readonly codec: string;
  readonly bitrate: number;
  readonly hls: number;
  readonly lastcheckok: number;
  readonly lastchecktime: string;
  readonly lastchecktime_iso8601: string | null;
  readonly lastcheckoktime: string;
  readonly lastcheckoktime_iso8601: string | null;
  readonly lastlocalchecktime: string;
  readonly lastlocalchecktime_iso8601: string | null;
  readonly clicktimestamp: string;
  readonly clicktimestamp_iso8601: string | null;
  readonly clickcount: number;
  readonly clicktrend: number;
  readonly ssl_error: number;
  readonly geo_lat: number | null;
  readonly geo_long: number | null;
  readonly geo_distance: number | null;
  readonly has_extended_info: boolean;
}

const SERVER_UUID = "5f2c1a34-7e1b-4d53-9a41-0c6a0d5f7b12";

/** What a row of the file says: the rest follows from it. */
type Row = Omit<RawStation, "changeuuid" | "serveruuid" | "country" | "geo_distance">;

/** The stations, with streams and pictures at `streams`, such as `http://127.0.0.1:9000`. */
export const sandboxStations = (streams: string): readonly RawStation[] =>
  file.rows.map((values) => {
    const own = values.map((value) => (typeof value === "string" ? value.replace("{streams}", streams) : value));
    const row = Object.fromEntries(file.columns.map((column, index) => [column, own[index]])) as unknown as Row;
    const { stationuuid, countrycode, lastchangetime, lastchecktime, clicktimestamp } = row;
    return {
      ...row,
      changeuuid: stationuuid,
      serveruuid: SERVER_UUID,
      country: DIRECTORY_NAMES.get(countrycode.toUpperCase()) ?? "",
      lastchangetime_iso8601: isoOf(lastchangetime),
      lastchecktime_iso8601: isoOf(lastchecktime),
      lastcheckoktime: lastchecktime,
      lastcheckoktime_iso8601: isoOf(lastchecktime),
      lastlocalchecktime: lastchecktime,
      lastlocalchecktime_iso8601: isoOf(lastchecktime),
      clicktimestamp_iso8601: isoOf(clicktimestamp),
      geo_distance: null,
    };
  });

const isoOf = (time: string): string | null => (time === "" ? null : `${time.replace(" ", "T")}Z`);
