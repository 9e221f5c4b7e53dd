// The stations on the visible part of the map: the list follows the map.
import { Button } from "../../components/ui/Button.tsx";
import { EmptyState } from "../../components/ui/EmptyState.tsx";
import { Skeleton } from "../../components/ui/Skeleton.tsx";
import { formatWhole } from "../formats.ts";
import type { UrlState } from "../url-state.ts";
import { type Playing, StationList } from "./StationList.tsx";
import type { PlacedStation } from "./StationMap.tsx";
import styles from "./Stations.module.css";

/** A longer list would only keep the browser busy. */
const SHOWN_MAX = 100;

/** `seen` is sorted by votes, most first. `isBusy` while more stations, or the stations for new filters, are being read. */
export const SeenStations = ({
  seen,
  isBusy,
  url,
  playing,
}: {
  readonly seen: readonly PlacedStation[];
  readonly isBusy: boolean;
  readonly url: UrlState;
  readonly playing: Playing;
}) => {
  const showAll = <Button onClick={() => url.set({ view: undefined })}>Show all stations</Button>;
  return (
    <section class={styles.found} aria-label="Stations on this part of the map" aria-busy={isBusy}>
      {seen.length === 0 && isBusy ? (
        <Skeleton rem={60} />
      ) : seen.length === 0 ? (
        <EmptyState title="No stations on this part of the map">
          <p>Move the map, zoom out, or choose a country to see its stations.</p>
          {showAll}
        </EmptyState>
      ) : (
        <>
          {seen.length > SHOWN_MAX && (
            <p class={styles.note}>
              These are the {formatWhole(SHOWN_MAX)} stations with the most votes, out of {formatWhole(seen.length)}. Zoom in to see
              the others.
            </p>
          )}
          <StationList stations={seen.slice(0, SHOWN_MAX).map(({ station }) => station)} playing={playing} />
          <div class={styles.pages}>{showAll}</div>
        </>
      )}
    </section>
  );
};
