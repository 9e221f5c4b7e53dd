// Rows as the radio directory writes them, for tests.
import type { StationList } from "../../../src/sandbox/stand-ins/radio/invented-stations.ts";
import type { RawStation } from "../../../src/sandbox/stand-ins/radio/raw-station.ts";

/** A station with every field known, and some of them changed. */
export function rawStation(changes: Partial<Record<keyof RawStation, unknown>> = {}): RawStation {
  return {
    changeuuid: "0f000000-0000-4000-8000-000000000001",
    stationuuid: "5a000000-0000-4000-8000-000000000001",
    serveruuid: null,
    name: "Jazz Harbour",
    url: "http://harbour.example/listen.pls",
    url_resolved: "https://harbour.example/live",
    homepage: "https://harbour.example/",
    favicon: "https://harbour.example/icon.png",
    tags: "jazz,smooth jazz",
    country: "Germany",
    countrycode: "DE",
    iso_3166_2: "DE-HH",
    state: "Hamburg",
    language: "english,german",
    languagecodes: "de,en",
    votes: 1200,
    lastchangetime: "2026-01-02 03:04:05",
    lastchangetime_iso8601: "2026-01-02T03:04:05Z",
    codec: "MP3",
    bitrate: 128,
    hls: 0,
    lastcheckok: 1,
    lastchecktime: "2026-10-31 10:00:00",
    lastchecktime_iso8601: "2026-10-31T10:00:00Z",
    lastcheckoktime: "2026-10-31 10:00:00",
    lastcheckoktime_iso8601: "2026-10-31T10:00:00Z",
    lastlocalchecktime: "2026-10-31 10:00:00",
    lastlocalchecktime_iso8601: "2026-10-31T10:00:00Z",
    clicktimestamp: "",
    clicktimestamp_iso8601: null,
    clickcount: 34,
    clicktrend: -2,
    ssl_error: 0,
    geo_lat: 53.55,
    geo_long: 9.99,
    geo_distance: null,
    has_extended_info: false,
    // Changed fields may have types that the directory should never send.
    ...(changes as Partial<RawStation>),
  };
}

/** What the service returns for `rawStation()`, as JSON. */
export const knownStation = {
  uuid: "5a000000-0000-4000-8000-000000000001",
  name: "Jazz Harbour",
  url: "https://harbour.example/live",
  favicon: "https://harbour.example/icon.png",
  homepage: "https://harbour.example/",
  tags: ["jazz", "smooth jazz"],
  codec: "MP3",
  bitrate: 128,
  votes: 1200,
  clickcount: 34,
  country: "Germany",
  countrycode: "DE",
  state: "Hamburg",
  language: "english,german",
  geo: { lat: 53.55, lon: 9.99 },
  hls: false,
  broken: false,
  last_checked_at: "2026-10-31T10:00:00Z",
  url_resolved: "https://harbour.example/live",
};

/** These stations in the form that the stand-in accepts. */
export function stationList(stations: readonly RawStation[]): StationList {
  const at = (index: number): RawStation => stations[index] as RawStation;
  return { length: stations.length, at, sketchAt: at };
}
