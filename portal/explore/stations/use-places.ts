// The stations on the map. The whole map shows those with the most votes. The further the user zooms in, the more are requested: further
// pages of all stations, and the top-voted ones of each country in view. What has been found stays until the filters change.
import { useMemo, useRef } from "preact/hooks";
import { RadioService, type SearchStationsResponse } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { type Query, useQuery } from "../../api/use-query.ts";
import { isSeen, type MapView } from "./map-view.ts";
import type { PlacedStation } from "./StationMap.tsx";
import { pointOf } from "./world.ts";

/** What the stations are searched by, apart from their location. */
export interface StationFilter {
  readonly query: string;
  readonly tag: string;
  readonly countrycode: string;
  /** Left out if there is a query, which has an order of its own. */
  readonly order?: string;
  readonly reverse?: boolean;
}

/** The most stations that one call returns. */
const PLACES_MAX = 100;
/** One more page is requested from each of these zoom levels on. */
const PAGE_ZOOMS = [2, 4, 8] as const;
/** From this zoom level on, the countries in view are searched separately. */
const COUNTRY_ZOOM = 3;
const COUNTRIES_MAX = 3;
/** Votes change slowly, so going back and forth requests the same data only once. */
const FRESH = { staleTime: 300_000 };
/** While the user types, the previous results stay. */
const KEEP_PREVIOUS = { ...FRESH, keepsPrevious: true } as const;

/** The stations, and what is known about the search. */
export interface Places {
  /** All stations that are known to match, sorted by votes, most first. */
  readonly all: readonly PlacedStation[];
  /** The query for the stations with the most votes, whatever the view is. */
  readonly first: Query<SearchStationsResponse>;
  /** Whether there are more stations, which are requested if the user zooms in. */
  readonly hasMore: boolean;
  /** Whether any of the queries in `added` is still in progress. */
  readonly isPending: boolean;
  /** The queries that are made because the user has zoomed in. */
  readonly added: readonly Query<SearchStationsResponse>[];
}

/** `view` is the part of the map that the user has chosen; undefined for none. */
export function usePlaces(filter: StationFilter, view: MapView | undefined): Places {
  const search = RadioService.method.searchStations;
  const common = { ...filter, hasGeo: true, limit: PLACES_MAX };
  const first = useQuery(search, common, KEEP_PREVIOUS);
  const isKnown = first.data !== undefined && !first.isPrevious;
  const found = useRef<{ readonly of: string; readonly byId: Map<string, PlacedStation> }>({ of: "", byId: new Map() });
  const of = JSON.stringify(filter);
  if (found.current.of !== of && isKnown) {
    found.current = { of, byId: new Map() };
  }
  const { byId } = found.current;
  const zoom = isKnown && first.data.nextOffset !== undefined ? (view?.zoom ?? 1) : 1;
  const page = (index: 0 | 1 | 2) => ({
    input: { ...common, offset: (index + 1) * PLACES_MAX },
    isOn: zoom >= PAGE_ZOOMS[index],
  });
  const pages = [useAdded(page(0)), useAdded(page(1)), useAdded(page(2))];
  // The countries are chosen without the stations that were found by country, so that these results do not change the choice.
  const general = [first, ...pages].flatMap(({ data }) => placesOf(data));
  const countries =
    zoom >= COUNTRY_ZOOM && view !== undefined && filter.countrycode === "" && pages.every(({ isPending }) => !isPending)
      ? countriesIn(general, view)
      : [];
  const country = (index: number) => ({
    input: { ...common, countrycode: countries[index] ?? "" },
    isOn: countries[index] !== undefined,
  });
  const added = [...pages, useAdded(country(0)), useAdded(country(1)), useAdded(country(2))];
  const responses = [first, ...added].map(({ data }) => data);
  const all = useMemo(() => {
    for (const place of responses.flatMap(placesOf)) {
      byId.set(place.station.uuid, place);
    }
    return [...byId.values()].toSorted((one, other) => other.station.votes - one.station.votes);
  }, [byId, ...responses]);
  return {
    all,
    first,
    added,
    isPending: added.some((query) => query.isPending),
    hasMore: (view?.zoom ?? 1) < PAGE_ZOOMS[2] && responses.some((response) => response?.nextOffset !== undefined),
  };
}

const placesOf = (response: SearchStationsResponse | undefined): readonly PlacedStation[] =>
  (response?.results ?? []).flatMap((station) =>
    station.geo === undefined ? [] : [{ station, point: pointOf(station.geo.lat, station.geo.lon) }],
  );

interface Added extends Query<SearchStationsResponse> {
  /** Whether the query is still in progress. */
  readonly isPending: boolean;
}

function useAdded({ input, isOn }: { readonly input: object; readonly isOn: boolean }): Added {
  const query = useQuery(RadioService.method.searchStations, input, { ...FRESH, enabled: isOn });
  return isOn
    ? { ...query, isPending: query.data === undefined && query.problem === undefined }
    : { ...query, data: undefined, problem: undefined, isPending: false };
}

// The countries with the most known stations in view, as codes in alphabetical order, so that the same countries make the same queries.
function countriesIn(places: readonly PlacedStation[], view: MapView): readonly string[] {
  const counts = new Map<string, number>();
  for (const { station, point } of places) {
    const code = station.countrycode ?? "";
    if (code !== "" && isSeen(point, view)) {
      counts.set(code, (counts.get(code) ?? 0) + 1);
    }
  }
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, COUNTRIES_MAX)
    .map(([code]) => code)
    .toSorted();
}
