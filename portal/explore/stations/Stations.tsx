// Stations: filters, a map and a list of what they find, and a player. The filters, the page of the list and the chosen station stand in the address.
import { useMemo, useState } from "preact/hooks";
import { RadioService, type Station } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { Button } from "../../components/ui/Button.tsx";
import { EmptyState } from "../../components/ui/EmptyState.tsx";
import { Skeleton } from "../../components/ui/Skeleton.tsx";
import { Problem } from "../../components/ui/Problem.tsx";
import { useUrlState } from "../url-state.ts";
import { Player } from "./Player.tsx";
import { StationFilters } from "./StationFilters.tsx";
import { StationList } from "./StationList.tsx";
import { StationMap } from "./StationMap.tsx";
import styles from "./Stations.module.css";

const PAGE_SIZE = 20;
/** As many as a call gives. */
const PLACES_MAX = 100;
const OFFSET_MAX = 10_000;

/** The page. */
export function Stations() {
  const url = useUrlState();
  const [name, tag, countrycode] = [url.get("name") ?? "", url.get("tag") ?? "", url.get("country") ?? ""];
  const offset = Math.min(OFFSET_MAX, Math.max(0, Math.trunc(Number(url.get("offset") ?? 0)) || 0));
  const filters = { name, tag, countrycode, order: "votes", reverse: true };
  const found = useQuery(RadioService.method.search, { ...filters, limit: PAGE_SIZE, offset });
  const placed = useQuery(RadioService.method.search, { ...filters, hasGeo: true, limit: PLACES_MAX });
  const [playing, setPlaying] = useState<Station | undefined>(undefined);
  const stations = found.data?.results;
  const places = useMemo(() => placed.data?.results.filter(({ geo }) => geo !== undefined) ?? [], [placed.data]);
  return (
    <>
      <StationFilters url={url} />
      <Problem problem={found.problem ?? placed.problem} onRetry={found.refetch} />
      <div class={styles.columns}>
        <section aria-label="Map">
          <StationMap stations={places} playing={playing} isNear={countrycode !== ""} onPlay={setPlaying} />
          <p class={styles.note}>
            {placed.data === undefined
              ? "Looking for places …"
              : `${places.length}${placed.data.hasMore ? " of more" : ""} with a known place, the most voted first.`}
          </p>
          <Player station={playing} />
        </section>
        <section aria-label="Stations found" aria-busy={found.isFormer}>
          {stations === undefined && found.problem === undefined && <Skeleton rem={60} />}
          {stations?.length === 0 && (
            <EmptyState title="No station is found">
              <p>Use fewer letters, another genre, or all countries.</p>
              <Button onClick={() => url.set({ name: undefined, tag: undefined, country: undefined, offset: undefined })}>
                Clear the filters
              </Button>
            </EmptyState>
          )}
          {stations !== undefined && stations.length > 0 && (
            <StationList stations={stations} playing={playing} onPlay={setPlaying} />
          )}
          <nav class={styles.pages} aria-label="Pages of the list">
            {offset > 0 && (
              <Button onClick={() => url.set({ offset: offset > PAGE_SIZE ? String(offset - PAGE_SIZE) : undefined })}>Back</Button>
            )}
            {found.data?.hasMore === true && offset + PAGE_SIZE <= OFFSET_MAX && (
              <Button onClick={() => url.set({ offset: String(offset + PAGE_SIZE) })}>More</Button>
            )}
          </nav>
        </section>
      </div>
    </>
  );
}
