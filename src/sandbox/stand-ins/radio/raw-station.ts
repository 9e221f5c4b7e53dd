// A station as the radio directory writes it: all keys always present, and unknown values in several forms.

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
