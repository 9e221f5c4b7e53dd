// Stations: filters, a map and a list of the results, and a player. The filters, the part of the map, the page of the list and the chosen
// station are in the URL.
import { useMemo, useRef, useState } from "preact/hooks";
import { RadioService, type Station } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { Problem } from "../../components/ui/Problem.tsx";
import { formatCount, formatWhole } from "../formats.ts";
import { PictureChoice } from "../pictures.tsx";
import { type UrlState, useUrlState } from "../url-state.ts";
import { FoundStations, type Page } from "./FoundStations.tsx";
import { fitting, isSeen, type MapView, WHOLE_MAP } from "./map-view.ts";
import { Player } from "./Player.tsx";
import { SeenStations } from "./SeenStations.tsx";
import { StationFilters } from "./StationFilters.tsx";
import type { Playing } from "./StationList.tsx";
import { type PlacedStation, StationMap } from "./StationMap.tsx";
import styles from "./Stations.module.css";
import { usePlaces } from "./use-places.ts";
import { useSound } from "./use-sound.ts";
import { viewOf } from "./view-text.ts";

const PAGE_SIZE = 20;
const OFFSET_MAX = 10_000;
/** Votes change slowly, so going back and forth requests the same data only once. */
const FRESH = { staleTime: 300_000 };
const COUNTRIES_FRESH = { staleTime: 3_600_000 };
/** While the user types, the previous results stay. */
const KEEP_PREVIOUS = { ...FRESH, keepsPrevious: true } as const;

export function Stations() {
  const url = useUrlState();
  const [query, tag, countrycode] = [url.get("query") ?? "", url.get("tag") ?? "", url.get("country") ?? ""];
  const offset = Math.min(OFFSET_MAX, Math.max(0, Math.trunc(Number(url.get("offset") ?? 0)) || 0));
  const order = query === "" ? ({ order: "votes", reverse: true } as const) : {};
  const filters = { query, tag, countrycode, ...order };
  const found = useQuery(RadioService.method.searchStations, { ...filters, limit: PAGE_SIZE, offset }, KEEP_PREVIOUS);
  const countries = useQuery(RadioService.method.listCountries, {}, COUNTRIES_FRESH);
  const view = viewOf(url.get("view"));
  const { all: places, first: placed, hasMore, added, isPending } = usePlaces(filters, view);
  const home = useHome(countrycode, places, placed.data === undefined || placed.isPrevious);
  const seen = view === undefined ? undefined : places.filter(({ point }) => isSeen(point, view));
  const { station, play, isChosenNow, problem } = useStation(url);
  const player = useSound(station, isChosenNow);
  const playing: Playing = {
    station,
    isOngoing: player.isOngoing,
    play: (next) => (next.uuid === station?.uuid ? player.play() : play(next)),
    stop: player.stop,
  };
  const queries = [found, placed, ...added, countries];
  const problems = queries.find((one) => one.problem !== undefined)?.problem;
  const page: Page = { offset, size: PAGE_SIZE, offsetMax: OFFSET_MAX };
  return (
    <>
      <StationFilters url={url} countries={countries.data?.results ?? []} />
      <p class={styles.note}>
        <PictureChoice owners="stations" />
      </p>
      <Problem
        problem={problems}
        isBusy={queries.some((one) => one.isFetching)}
        onRetry={() => {
          for (const query of queries.filter((one) => one.problem !== undefined)) {
            query.refetch();
          }
        }}
      />
      <div class={styles.columns}>
        <section aria-label="Map">
          <StationMap places={places} playing={station} home={home} url={url} onPlay={playing.play} />
          <p class={styles.note} role="status">
            {placed.data === undefined || placed.isPrevious
              ? placed.problem === undefined && "Locating stations…"
              : seen === undefined
                ? `${hasMore ? "The " : ""}${formatCount(places.length, hasMore ? "top-voted station" : "station")} with a known location.${hasMore ? " Zoom in to see more." : ""}`
                : `${formatWhole(seen.length)} of ${formatWhole(places.length)} stations with a known location are on this part of the map.${hasMore ? " Zoom in to see more." : ""}`}
          </p>
          <Player station={station} player={player} problem={problem} />
        </section>
        {seen === undefined ? (
          <FoundStations found={found} page={page} url={url} playing={playing} />
        ) : (
          <SeenStations seen={seen} isBusy={placed.isPrevious || isPending} url={url} playing={playing} />
        )}
      </div>
    </>
  );
}

// The map's initial view: the chosen country once its places are known; until then the previous view.
function useHome(countrycode: string, places: readonly PlacedStation[], isWaiting: boolean): MapView {
  const last = useRef(WHOLE_MAP);
  const home = useMemo(() => (countrycode === "" ? WHOLE_MAP : fitting(places.map(({ point }) => point))), [countrycode, places]);
  last.current = isWaiting ? last.current : home;
  return last.current;
}

// The chosen station survives a reload, but plays only if it is chosen during this visit: a page must not start to play sound on its own.
function useStation(url: UrlState) {
  const [chosen, setChosen] = useState<Station | undefined>(undefined);
  const [uuid] = useState(url.get("station"));
  const former = useQuery(
    RadioService.method.getStation,
    { uuid: uuid ?? "" },
    { ...FRESH, enabled: uuid !== undefined && chosen === undefined },
  );
  return {
    station: chosen ?? former.data?.station,
    isChosenNow: chosen !== undefined,
    problem: chosen === undefined ? former.problem : undefined,
    play(station: Station): void {
      setChosen(station);
      url.set({ station: station.uuid }, "typing");
    },
  };
}
