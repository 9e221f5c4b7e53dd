// The stations on the visible part of the map: the list follows the map.
import { Button } from "../../components/ui/Button.tsx";
import { EmptyState } from "../../components/ui/EmptyState.tsx";
import { Skeleton } from "../../components/ui/Skeleton.tsx";
import type { UrlState } from "../url-state.ts";
import { type Playing, StationList } from "./StationList.tsx";
import type { PlacedStation } from "./StationMap.tsx";
import styles from "./Stations.module.css";

/** `isFormer` if they belong to earlier filters. */
export const SeenStations = ({
  seen,
  isFormer,
  url,
  playing,
}: {
  readonly seen: readonly PlacedStation[];
  readonly isFormer: boolean;
  readonly url: UrlState;
  readonly playing: Playing;
}) => {
  const showAll = <Button onClick={() => url.set({ view: undefined })}>Show all stations</Button>;
  return (
    <section class={styles.found} aria-label="Stations on this part of the map" aria-busy={isFormer}>
      {seen.length === 0 && isFormer ? (
        <Skeleton rem={60} />
      ) : seen.length === 0 ? (
        <EmptyState title="No stations on this part of the map">
          <p>Move the map, zoom out, or choose a country to see its stations.</p>
          {showAll}
        </EmptyState>
      ) : (
        <>
          <StationList stations={seen.map(({ station }) => station)} playing={playing} />
          <div class={styles.pages}>{showAll}</div>
        </>
      )}
    </section>
  );
};
