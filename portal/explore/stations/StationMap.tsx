// The stations on a map that one zooms and moves. Which part of it is seen stands in the address. The list beside it has the same stations for who
// does not see the map.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Station } from "../../../gen/quintet/radio/v1/radio_pb.js";
import type { UrlState } from "../url-state.ts";
import { drawnAt, MAP_HEIGHT, MAP_WIDTH, type MapPoint, type MapView, zoomed } from "./map-view.ts";
import styles from "./StationMap.module.css";
import { useMapGestures, ZOOM_STEP } from "./use-map-gestures.ts";
import { viewOf, viewText } from "./view-text.ts";
import { LAND } from "./world.ts";

/** A station with a place. */
export interface PlacedStation {
  readonly station: Station;
  /** Where it is on the whole map. */
  readonly point: MapPoint;
}

const PAUSE_MS = 250;

/** `home` is what is seen at first. */
export function StationMap({
  places,
  playing,
  home,
  url,
  onPlay,
}: {
  readonly places: readonly PlacedStation[];
  readonly playing: Station | undefined;
  readonly home: MapView;
  readonly url: UrlState;
  readonly onPlay: (station: Station) => void;
}) {
  const { view, isGliding, show, reset, latest } = useView(url, home);
  const gestures = useMapGestures({ view: () => latest.current, show, reset });
  const zoom = (factor: number): void => show(zoomed(latest.current, factor));
  return (
    <div class={styles.frame}>
      <svg
        class={`${styles.map} ${isGliding ? styles.gliding : ""} ${view.zoom > 1 ? styles.near : ""}`}
        viewBox={`0 0 ${MAP_WIDTH} ${MAP_HEIGHT}`}
        // In an SVG the names of attributes have a case.
        tabindex={0}
        role="application"
        aria-roledescription="map"
        aria-label={`Map of ${places.length} stations. Plus and minus zoom, the arrow keys move, 0 shows all of it. The list has the same stations.`}
        {...gestures}
      >
        <path class={styles.land} d={LAND} style={{ transform: landTransform(view) }} />
        {lastOf(places, playing).map(({ station, point }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the list has the same for the keyboard.
          <circle
            key={station.uuid}
            class={station.uuid === playing?.uuid ? `${styles.dot} ${styles.chosen}` : styles.dot}
            style={{ transform: dotTransform(point, view) }}
            onClick={() => onPlay(station)}
          >
            <title>{station.name}</title>
          </circle>
        ))}
      </svg>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend, and looks like a form. */}
      <div class={styles.buttons} role="group" aria-label="Zoom">
        <button type="button" aria-label="Zoom in" onClick={() => zoom(ZOOM_STEP)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => zoom(1 / ZOOM_STEP)}>
          −
        </button>
      </div>
    </div>
  );
}

// While a hand moves the map, what is seen is held here; it is written into the address when the hand rests.
function useView(url: UrlState, home: MapView) {
  const text = url.get("view");
  const told = useMemo(() => viewOf(text), [text]);
  const [held, setHeld] = useState<{ readonly view: MapView; readonly isGliding: boolean } | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const view = held?.view ?? told ?? home;
  // Several moves may come before the next rendering.
  const latest = useRef(view);
  latest.current = view;
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    view,
    latest,
    isGliding: held?.isGliding ?? true,
    show(next: MapView, how: "gliding" | "at once" = "gliding") {
      latest.current = next;
      setHeld({ view: next, isGliding: how === "gliding" });
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        setHeld(undefined);
        url.set({ view: viewText(next) === viewText(home) ? undefined : viewText(next) }, "typing");
      }, PAUSE_MS);
    },
    reset() {
      clearTimeout(timer.current);
      setHeld(undefined);
      url.set({ view: undefined }, "typing");
    },
  };
}

// What is drawn last lies on top.
const lastOf = (places: readonly PlacedStation[], playing: Station | undefined): readonly PlacedStation[] => [
  ...places.filter(({ station }) => station.uuid !== playing?.uuid),
  ...places.filter(({ station }) => station.uuid === playing?.uuid),
];

const landTransform = (view: MapView): string => {
  const { x, y } = drawnAt({ x: 0, y: 0 }, view);
  return `translate(${x}px, ${y}px) scale(${view.zoom})`;
};

const dotTransform = (point: MapPoint, view: MapView): string => {
  const { x, y } = drawnAt(point, view);
  return `translate(${x}px, ${y}px)`;
};
