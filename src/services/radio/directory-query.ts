// The path and query that a request becomes at the directory. Pure. The same request always gives the same text, so the text can be
// the key of a kept answer.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type AppliedFilters,
  AppliedFiltersSchema,
  type Country,
  type SearchRequest,
  type Station,
  type Tag,
} from "../../../gen/quintet/radio/v1/radio_pb.js";
import type { Parse } from "../../upstream/upstream.ts";
import { parseCountries, parseTags } from "./listing.ts";
import { type DirectoryStation, KNOWN_BITRATE_MAX, parseStations } from "./station.ts";

/** One request to the directory, whose answer has rows. */
export interface DirectoryQuery<Row> {
  /** The path and the query, to be put behind a mirror's origin. */
  readonly path: string;
  readonly parse: Parse<readonly Row[]>;
  /** Whether the same query may have another answer each time. If so, it is asked each time. */
  readonly random: boolean;
}

/** A search: its query, which asks for one row more than the limit, and what applies of the request. */
export interface Search {
  readonly query: DirectoryQuery<DirectoryStation>;
  readonly filters: AppliedFilters;
  readonly limit: number;
  readonly offset: number;
  /**
   * Whether a station as answered matches the filters. The directory filters by its own values, some of which are answered as
   * unknown.
   */
  readonly holds: (station: Station) => boolean;
}

/** The directory's greatest number. Without a bound it uses one of its own, which hides working stations. */
const UNBOUNDED_BITRATE = 0xffff_ffff;

const queryOf = <Row>(
  path: string,
  parameters: Record<string, string>,
  parse: Parse<readonly Row[]>,
  random = false,
): DirectoryQuery<Row> => ({
  path: `${path}?${new URLSearchParams(parameters)}`,
  parse,
  random,
});

/** Turns a request into a search. */
export function searchOf(request: SearchRequest): Search {
  const { limit = 20, offset } = request;
  const filters = filtersOf(request);
  const { order, reverse } = filters;
  const parameters: Record<string, string> = {
    ...texts(filters),
    bitrateMin: String(filters.bitrateMin ?? 0),
    bitrateMax: String(bitrateMaxOf(filters)),
    ...(filters.httpsOnly === undefined ? {} : { is_https: String(filters.httpsOnly) }),
    ...(filters.hasGeo === undefined ? {} : { has_geo_info: String(filters.hasGeo) }),
    order,
    reverse: String(reverse),
    offset: String(offset),
    limit: withOneMore(limit),
    hidebroken: "true",
  };
  const holds = ({ bitrate, geo, url }: Station): boolean =>
    bitrate >= (filters.bitrateMin ?? 0) &&
    (filters.hasGeo === undefined || filters.hasGeo === (geo !== undefined)) &&
    (filters.httpsOnly !== true || /^https:/i.test(url));
  return { query: queryOf("/json/stations/search", parameters, parseStations, order === "random"), filters, limit, offset, holds };
}

// When a search filters or orders by bitrate, stations whose bitrate is answered as unknown are left out.
const bitrateMaxOf = ({ bitrateMin = 0, bitrateMax, order }: AppliedFilters): number =>
  bitrateMax ?? (bitrateMin > 0 || order === "bitrate" ? KNOWN_BITRATE_MAX : UNBOUNDED_BITRATE);

// One row more than requested shows whether there are more.
const withOneMore = (limit: number): string => String(limit + 1);

/** One station, by a UUID in lower case. */
export const stationQuery = (uuid: string): DirectoryQuery<DirectoryStation> =>
  queryOf("/json/stations/byuuid", { uuids: uuid }, parseStations);

/** The stations with the most votes, and one more. */
export const topVotedQuery = (limit: number): DirectoryQuery<DirectoryStation> =>
  queryOf("/json/stations/topvote", { limit: withOneMore(limit), hidebroken: "true" }, parseStations);

/** All countries. */
export const COUNTRIES_QUERY: DirectoryQuery<Country> = queryOf("/json/countries", { hidebroken: "true" }, parseCountries);

/** The tags with the most stations, and one more. */
export const tagsQuery = (limit: number): DirectoryQuery<Tag> =>
  queryOf("/json/tags", { order: "stationcount", reverse: "true", limit: withOneMore(limit), hidebroken: "true" }, parseTags);

const TEXT_FILTERS = ["name", "country", "countrycode", "language", "tag", "codec"] as const;

function filtersOf(request: SearchRequest): AppliedFilters {
  const { bitrateMin, bitrateMax, httpsOnly, hasGeo, order, reverse } = request;
  const given: MessageInitShape<typeof AppliedFiltersSchema> = { order: order === "" ? "name" : order, reverse };
  for (const name of TEXT_FILTERS) {
    const text = (name === "codec" ? withPlus(request.codec) : request[name]).trim();
    if (text !== "") {
      given[name] = name === "countrycode" ? text.toUpperCase() : text;
    }
  }
  return create(AppliedFiltersSchema, {
    ...given,
    ...(bitrateMin === undefined ? {} : { bitrateMin }),
    ...(bitrateMax === undefined ? {} : { bitrateMax }),
    ...(httpsOnly ? { httpsOnly } : {}),
    ...(hasGeo === undefined ? {} : { hasGeo }),
  });
}

// A query string decodes `AAC+` to `AAC` and a blank. No codec ends with a blank, and half of the AAC stations have `AAC+`.
const withPlus = (codec: string): string => codec.replace(/^(\s*aac) (?=,|$)/i, "$1+");

const texts = (filters: AppliedFilters): Record<string, string> =>
  Object.fromEntries(
    TEXT_FILTERS.flatMap((name) => {
      const text = filters[name];
      return text === undefined ? [] : [[name, text]];
    }),
  );
