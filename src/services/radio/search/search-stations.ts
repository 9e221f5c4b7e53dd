// Searches stations: by filters or around a position, which is one request to the directory, or by a query in words, which takes several.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type {
  AppliedFilters,
  SearchStationsRequest,
  SearchStationsResponseSchema,
  Station,
} from "../../../../gen/quintet/radio/v1/radio_pb.js";
import { Failure } from "../../../problem/failure.ts";
import { invalidArgument, type Violation } from "../../../problem/problem.ts";
import { following } from "../../next-offset.ts";
import { requestedCode } from "../country/requested-code.ts";
import type { Directory } from "../directory.ts";
import { searchOf } from "../directory-query.ts";
import { provenance } from "../provenance.ts";
import { usableStations } from "../station.ts";
import { searchWords } from "./search-words.ts";
import type { VocabularyKeeper } from "./vocabulary.ts";
import { wordsOf } from "./words.ts";

type Response = MessageInitShape<typeof SearchStationsResponseSchema>;

/** Throws a Failure: INVALID_ARGUMENT if parameters contradict each other, and what the directory throws. */
export async function searchStations(
  directory: Directory,
  vocabulary: VocabularyKeeper,
  request: SearchStationsRequest,
  context: HandlerContext,
): Promise<Response> {
  const violations = contradictions(request);
  if (violations.length > 0) {
    throw new Failure(invalidArgument(violations));
  }
  requestedCode(request.countrycode);
  const search = await searchOf(request);
  if (search.filters.query !== undefined) {
    return searchWords({ directory, vocabulary, search, context, words: wordsOf(search.filters.query) });
  }
  const { query, filters, limit, offset, matches } = search;
  const response = await directory.query(query, context);
  if (filters.geoLat !== undefined) {
    const all = nearest(usableStations(response.rows, request.includeBroken).filter(matches), filters);
    const results = all.slice(offset, offset + limit);
    const next = following(all.length > offset + limit, offset, limit);
    return { count: results.length, ...next, limit, offset, filters, results, ...provenance(response, context) };
  }
  // A mirror may fail to hide broken stations, or return too many rows.
  const results = usableStations(response.rows.slice(0, limit), request.includeBroken).filter(matches);
  const next = following(response.rows.length > limit, offset, limit);
  return { count: results.length, ...next, limit, offset, filters, results, ...provenance(response, context) };
}

const EARTH_RADIUS_M = 6_371_009;
const radians = (degrees: number): number => (degrees * Math.PI) / 180;

// On a sphere, which is off by at most half a percent: https://en.wikipedia.org/wiki/Haversine_formula
function distanceM(oneLat: number, oneLong: number, otherLat: number, otherLong: number): number {
  const half =
    Math.sin(radians(otherLat - oneLat) / 2) ** 2 +
    Math.cos(radians(oneLat)) * Math.cos(radians(otherLat)) * Math.sin(radians(otherLong - oneLong) / 2) ** 2;
  return Math.round(2 * EARTH_RADIUS_M * Math.asin(Math.sqrt(Math.min(1, half))));
}

/** The stations around the position, nearest first, each with its distance. */
function nearest(stations: readonly Station[], { geoLat = 0, geoLong = 0, geoDistance = 0 }: AppliedFilters): Station[] {
  return stations
    .flatMap((station) =>
      station.geo === undefined ? [] : [{ ...station, geoDistance: distanceM(geoLat, geoLong, station.geo.lat, station.geo.lon) }],
    )
    .filter((station) => station.geoDistance <= geoDistance)
    .sort((one, other) => one.geoDistance - other.geoDistance);
}

function contradictions(request: SearchStationsRequest): readonly Violation[] {
  const { query, name, order, reverse, bitrateMin = 0, bitrateMax, hasGeo, geoLat, geoLong, geoDistance } = request;
  const isQuery = query.trim() !== "";
  const isAround = geoLat !== undefined && geoLong !== undefined;
  const checks: readonly (readonly [wrong: boolean, field: string, description: string])[] = [
    [bitrateMax !== undefined && bitrateMax < bitrateMin, "bitrate_max", `must not be less than bitrate_min, ${bitrateMin}`],
    [isQuery && wordsOf(query).length === 0, "query", "must contain a letter or a digit"],
    [isQuery && name.trim() !== "", "name", "must be left out if there is a query, which searches names too"],
    [isQuery && order !== "" && order !== "relevance", "order", "must be relevance or left out if there is a query"],
    [isQuery && reverse, "reverse", "must be false or left out if there is a query: its best match always comes first"],
    [!isQuery && order === "relevance", "order", "must not be relevance without a query"],
    [geoLat === undefined && geoLong !== undefined, "geo_lat", "must be given together with geo_long"],
    [geoLong === undefined && geoLat !== undefined, "geo_long", "must be given together with geo_lat"],
    [geoDistance !== undefined && !isAround, "geo_distance", "must be left out without geo_lat and geo_long"],
    [!isAround && order === "distance", "order", "must not be distance without geo_lat and geo_long"],
    [isAround && isQuery, "query", "must be left out if there is a position; use tag or name"],
    [
      isAround && !isQuery && !["", "distance", "relevance"].includes(order),
      "order",
      "must be distance or left out if there is a position",
    ],
    [isAround && reverse, "reverse", "must be false or left out if there is a position: the nearest station always comes first"],
    [isAround && hasGeo === false, "has_geo", "must be true or left out if there is a position"],
  ];
  return checks.flatMap(([wrong, field, description]) => (wrong ? [{ field, description }] : []));
}
