// Turns a request into a path and query for the directory. The same request always gives the same string, so it can be
// the key of a cached response.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type AppliedFilters,
  AppliedFiltersSchema,
  type Codec,
  type Country,
  type Language,
  type SearchStationsRequest,
  type State,
  type Station,
  type Tag,
} from "../../../gen/quintet/radio/v1/radio_pb.js";
import { nextTurn } from "../../runtime/event-loop-turn.ts";
import type { Parse } from "../../upstream/upstream.ts";
import { countryFilter } from "./country/country-filter.ts";
import { DIRECTORY_NAMES } from "./country/directory-names.ts";
import { parseCodecs, parseCountries, parseLanguages, parseStates, parseTags } from "./listing.ts";
import { KNOWN_BITRATE_MAX, parseStations, rowsOf } from "./station.ts";

// Parses rows of the directory: only as many as requested, and a long list in several turns, between which calls are served.

// Takes under a millisecond, and not much more if every station has the maximum number of tags.
const ROWS_PER_TURN = 16;

/**
 * The first `rowsMax` rows of a response, each parsed separately. Rejects if `parse` throws, as it also does for anything but a
 * list.
 */
async function parseInTurns<Row>(
  json: unknown,
  rowsMax: number,
  parse: (json: unknown) => readonly Row[],
): Promise<readonly Row[]> {
  const requested = firstRows(json, rowsMax);
  if (!Array.isArray(requested) || requested.length <= 1) {
    return parse(requested);
  }
  const rows: Row[] = [];
  for (let at = 0; at < requested.length; at += ROWS_PER_TURN) {
    await nextTurn();
    rows.push(...parse(requested.slice(at, at + ROWS_PER_TURN)));
  }
  return rows;
}

/** A response without surplus rows; anything but a list is returned unchanged. */
const firstRows = (json: unknown, rowsMax: number): unknown => (Array.isArray(json) ? json.slice(0, rowsMax) : json);

/** One request to the directory, whose response has rows. */
export interface DirectoryQuery<Row> {
  /** The path and query, to append to a mirror's origin. */
  readonly path: string;
  readonly parse: Parse<readonly Row[]>;
  /** Whether the same query may have a different response each time. If so, it is never cached or shared. */
  readonly random: boolean;
  /** For a query by UUIDs, how many: a mirror that has fewer stations may be behind the others. */
  readonly uuidCount?: number;
}

/** A search: its query, which requests one row more than the limit, and the filters that apply. */
export interface Search {
  readonly query: DirectoryQuery<Station>;
  /** The directory's parameters for the filters, without the order and the page. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly filters: AppliedFilters;
  readonly limit: number;
  readonly offset: number;
  /**
   * Whether a station in the response matches the filters. The directory filters by its own values, some of which we return as
   * unknown.
   */
  readonly matches: (station: Station) => boolean;
}

/** The largest number that the directory accepts. Without a maximum, it applies its default, which hides working stations. */
const UNBOUNDED_BITRATE = 0xffff_ffff;

const queryOf = <Row>(
  path: string,
  parameters: Record<string, string>,
  parse: Parse<readonly Row[]>,
  random = false,
): DirectoryQuery<Row> => ({
  path: `${path}?${queryText(parameters)}`,
  parse,
  random,
});

// The parameters' names are constants that need no encoding. URLSearchParams would take a fifteenth of the time of a cached search.
const queryText = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
    .join("&");

/** Refuses an empty response to a query that finds something in every directory: the mirror has lost its data. */
const neverEmpty = <Row>(query: DirectoryQuery<Row>): DirectoryQuery<Row> => ({
  ...query,
  async parse(json) {
    const rows = await query.parse(json);
    if (rows.length === 0) {
      throw new Error("an empty list that cannot be empty");
    }
    return rows;
  },
});

/** Turns a request into a search. */
export async function searchOf(request: SearchStationsRequest): Promise<Search> {
  const { limit = 20, offset } = request;
  const filters = filtersOf(request);
  const { order, reverse } = filters;
  const country = filters.country === undefined ? undefined : await countryFilter(filters.country, filters.countrycode);
  const parameters: Record<string, string> = {
    ...country?.parameters,
    ...textFilters(filters),
    ...tagFilter(filters),
    ...languageFilter(filters),
    bitrateMin: String(filters.bitrateMin ?? 0),
    bitrateMax: String(bitrateMaxOf(filters)),
    ...(filters.httpsOnly === undefined ? {} : { is_https: String(filters.httpsOnly) }),
    ...(filters.hasGeo === undefined ? {} : { has_geo_info: String(filters.hasGeo) }),
    ...aroundFilter(filters),
    hidebroken: String(!request.includeBroken),
  };
  const exactTags = filters.tagExact === true ? membersOf(filters.tag) : [];
  const exactLanguages = filters.languageExact === true ? membersOf(filters.language) : [];
  const matches = ({ bitrate, geo, url, countrycode, tags, language }: Station): boolean =>
    (country?.codes?.has(countrycode ?? "") ?? true) &&
    exactTags.every((wanted) => tags.some((tag) => tag.toLowerCase() === wanted)) &&
    exactLanguages.every((wanted) => membersOf(language).includes(wanted)) &&
    bitrate >= (filters.bitrateMin ?? 0) &&
    (filters.hasGeo === undefined || filters.hasGeo === (geo !== undefined)) &&
    (filters.httpsOnly !== true || /^https:/i.test(url));
  if (filters.geoLat !== undefined) {
    return { query: aroundQuery(parameters), parameters, filters, limit, offset, matches };
  }
  const page = { order, reverse: String(reverse), offset: String(offset), limit: withOneMore(limit) };
  const query = queryOf("/json/stations/search", { ...parameters, ...page }, firstStations(limit + 1), order === "random");
  return {
    query: offset === 0 && isUnfiltered(filters) ? neverEmpty(query) : query,
    parameters,
    filters,
    limit,
    offset,
    matches,
  };
}

const isUnfiltered = ({ bitrateMin, bitrateMax, httpsOnly, hasGeo, ...filters }: AppliedFilters): boolean =>
  TEXT_FILTERS.every((name) => filters[name] === undefined) &&
  [bitrateMin, bitrateMax, httpsOnly, hasGeo].every((filter) => filter === undefined);

const DISTANCE_DEFAULT_M = 50_000;

// The directory's own names. It knows the positions of a sixth of its stations.
const aroundFilter = ({ geoLat, geoLong, geoDistance }: AppliedFilters): Record<string, string> =>
  geoLat === undefined
    ? {}
    : { has_geo_info: "true", geo_lat: String(geoLat), geo_long: String(geoLong), geo_distance: String(geoDistance) };

/** The most stations around a position: all pages are cut from one response, because the directory has no order by distance. */
const AROUND_ROWS_MAX = 300;

// Older mirrors ignore the position. They give stations from all over the world, without a distance, and the next mirror is queried.
const aroundQuery = (parameters: Record<string, string>): DirectoryQuery<Station> =>
  queryOf(
    "/json/stations/search",
    { ...parameters, order: "clickcount", reverse: "true", offset: "0", limit: String(AROUND_ROWS_MAX) },
    (json) =>
      parseInTurns(json, AROUND_ROWS_MAX, (rows) => {
        if (rowsOf(rows).some(({ geo_distance }) => typeof geo_distance !== "number")) {
          throw new Error("a station without its distance");
        }
        return parseStations(rows);
      }),
  );

// If a search filters or orders by bitrate, stations whose bitrate we return as unknown are left out.
const bitrateMaxOf = ({ bitrateMin = 0, bitrateMax, order }: AppliedFilters): number =>
  bitrateMax ?? (bitrateMin > 0 || order === "bitrate" ? KNOWN_BITRATE_MAX : UNBOUNDED_BITRATE);

// One row more than requested shows whether there are more.
const withOneMore = (limit: number): string => String(limit + 1);

const firstStations =
  (rowsMax: number): Parse<readonly Station[]> =>
  (json) =>
    parseInTurns(json, rowsMax, parseStations);

/** The most rows that one request for a query in words returns. */
const WORD_ROWS_MAX = 60;

/** The stations with the most plays in the last day that match these parameters of the directory's search. */
export const mostPlayedQuery = (parameters: Readonly<Record<string, string>>): DirectoryQuery<Station> =>
  queryOf(
    "/json/stations/search",
    { ...parameters, order: "clickcount", reverse: "true", offset: "0", limit: String(WORD_ROWS_MAX) },
    firstStations(WORD_ROWS_MAX),
  );

/** Stations by UUID, in lower case and without duplicates. */
export function stationsQuery(uuids: readonly string[]): DirectoryQuery<Station> {
  const wanted = new Set(uuids);
  const query = queryOf("/json/stations/byuuid", { uuids: uuids.join(",") }, async (json) =>
    (await parseInTurns(json, uuids.length, parseStations)).filter(({ uuid }) => wanted.has(uuid)),
  );
  return { ...query, uuidCount: uuids.length };
}

/** The `limit` stations with the most votes, and one more. */
export const topVotedQuery = (limit: number, includeBroken: boolean): DirectoryQuery<Station> =>
  neverEmpty(
    queryOf("/json/stations/topvote", { limit: withOneMore(limit), hidebroken: String(!includeBroken) }, firstStations(limit + 1)),
  );

// Two-letter codes; the directory has 237 rows.
const COUNTRY_ROWS_MAX = 1000;
// The directory has 8 rows.
const CODEC_ROWS_MAX = 100;

export const COUNTRIES_QUERY: DirectoryQuery<Country> = neverEmpty(
  queryOf("/json/countries", { hidebroken: "true" }, (json) => parseCountries(firstRows(json, COUNTRY_ROWS_MAX))),
);

export const CODECS_QUERY: DirectoryQuery<Codec> = neverEmpty(
  queryOf("/json/codecs", { hidebroken: "true" }, (json) => parseCodecs(firstRows(json, CODEC_ROWS_MAX))),
);

interface ListPage {
  readonly limit: number;
  readonly offset: number;
}

/** A page of the tags, those with the most stations first, and one more tag. */
export const tagsQuery = (page: ListPage): DirectoryQuery<Tag> => listQuery("/json/tags", page, parseTags);

/** A page of the languages, those with the most stations first, and one more language. */
export const languagesQuery = (page: ListPage): DirectoryQuery<Language> => listQuery("/json/languages", page, parseLanguages);

/** The same for states: of all countries, or of the country with this code, in upper case. */
export function statesQuery(page: ListPage, countrycode: string | undefined): DirectoryQuery<State> {
  // The path takes a country's name before part of a state's name: an encoded `%`, which matches any state.
  const country = countrycode === undefined ? "" : `/${encodeURIComponent(DIRECTORY_NAMES.get(countrycode) ?? countrycode)}/%25`;
  return listQuery(`/json/states${country}`, page, parseStates);
}

function listQuery<Row>(path: string, { limit, offset }: ListPage, parse: (json: unknown) => readonly Row[]): DirectoryQuery<Row> {
  const page = { order: "stationcount", reverse: "true", offset: String(offset), limit: withOneMore(limit), hidebroken: "true" };
  const query = queryOf(path, page, (json) => parseInTurns(json, limit + 1, parse));
  // Only the states of one country have a longer path, and may be none.
  return offset === 0 && path.split("/").length === 3 ? neverEmpty(query) : query;
}

const TEXT_FILTERS = ["name", "country", "countrycode", "language", "tag", "codec", "state"] as const;

// The directory stores tags and languages in lower case, and only finds them that way.
const FORMS: { readonly [Name in (typeof TEXT_FILTERS)[number]]?: (text: string) => string } = {
  countrycode: (text) => text.toUpperCase(),
  language: (text) => text.toLowerCase(),
  tag: (text) => text.toLowerCase(),
};

function filtersOf(request: SearchStationsRequest): AppliedFilters {
  const { bitrateMin, bitrateMax, httpsOnly, hasGeo, order, reverse, includeBroken, tagExact, languageExact, distinct } = request;
  const { geoLat, geoLong, geoDistance = DISTANCE_DEFAULT_M } = request;
  const query = request.query.trim();
  const given: MessageInitShape<typeof AppliedFiltersSchema> = {
    order: order !== "" ? order : query !== "" ? "relevance" : geoLat !== undefined ? "distance" : "name",
    reverse,
    ...(query === "" ? {} : { query }),
  };
  for (const name of TEXT_FILTERS) {
    const text = (name === "codec" ? withPlus(request.codec) : request[name]).trim();
    if (text !== "") {
      given[name] = FORMS[name]?.(text) ?? text;
    }
  }
  return create(AppliedFiltersSchema, {
    ...given,
    ...(bitrateMin === undefined ? {} : { bitrateMin }),
    ...(bitrateMax === undefined ? {} : { bitrateMax }),
    ...(httpsOnly ? { httpsOnly } : {}),
    ...(hasGeo === undefined ? {} : { hasGeo }),
    ...(includeBroken ? { includeBroken } : {}),
    ...(tagExact ? { tagExact } : {}),
    ...(languageExact ? { languageExact } : {}),
    ...(distinct ? { distinct } : {}),
    ...(geoLat === undefined || geoLong === undefined ? {} : { geoLat, geoLong, geoDistance }),
  });
}

// A query string decodes `AAC+` to `AAC` and a space. No codec ends with a space, and half of the AAC stations have `AAC+`.
const withPlus = (codec: string): string => codec.replace(/^(\s*aac) (?=,|$)/i, "$1+");

/** The text filters that the directory takes as they are. */
const textFilters = (filters: AppliedFilters): Record<string, string> =>
  Object.fromEntries(
    PLAIN_FILTERS.flatMap((name) => {
      const text = filters[name];
      return text === undefined ? [] : [[name, name === "name" || name === "state" ? escaped(text) : text]];
    }),
  );

const PLAIN_FILTERS = ["name", "countrycode", "codec", "state"] as const;

// In a filter that matches a substring, a backslash would escape the next character.
const escaped = (text: string): string => text.replaceAll("\\", "\\\\");

/** The members of a list in a filter or a station. */
const membersOf = (list: string | undefined): readonly string[] =>
  (list ?? "")
    .split(",")
    .map((member) => member.trim())
    .filter((member) => member !== "");

// The directory has parameters for one tag and for several. A query is compared with parts of tags, which `tagExact` would forbid.
function tagFilter({ tag, tagExact, query }: AppliedFilters): Record<string, string> {
  if (tag === undefined) {
    return {};
  }
  const isExact = tagExact === true && query === undefined;
  const tags = membersOf(tag);
  const text = tags.length === 0 ? tag : tags.join(",");
  return { [tags.length > 1 ? "tagList" : "tag"]: isExact ? text : escaped(text), ...(isExact ? { tagExact: "true" } : {}) };
}

// The directory has no parameter for several languages, but stores a station's languages in alphabetical order.
function languageFilter({ language, languageExact }: AppliedFilters): Record<string, string> {
  if (language === undefined) {
    return {};
  }
  const languages = membersOf(language);
  const isExact = languageExact === true && languages.length === 1;
  const text = isExact ? languages.join() : escaped(languages.length === 0 ? language : languages.toSorted().join("%"));
  return { language: text, ...(isExact ? { languageExact: "true" } : {}) };
}
