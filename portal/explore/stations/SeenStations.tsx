// The stations on the part of the map that is seen: the list follows the map.
import type { Station } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { Button } from "../../components/ui/Button.tsx";
import { EmptyState } from "../../components/ui/EmptyState.tsx";
import { Skeleton } from "../../components/ui/Skeleton.tsx";
import type { UrlState } from "../url-state.ts";
import { StationList } from "./StationList.tsx";
import type { PlacedStation } from "./StationMap.tsx";
import styles from "./Stations.module.css";

/** `playing` is marked. `isFormer` where they belong to former filters. */
export const SeenStations = ({
  seen,
  isFormer,
  url,
  playing,
  onPlay,
}: {
  readonly seen: readonly PlacedStation[];
  readonly isFormer: boolean;
  readonly url: UrlState;
  readonly playing: Station | undefined;
  readonly onPlay: (station: Station) => void;
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
          <StationList stations={seen.map(({ station }) => station)} playing={playing} onPlay={onPlay} />
          <div class={styles.pages}>{showAll}</div>
        </>
      )}
    </section>
  );
};
