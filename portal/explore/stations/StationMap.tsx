// The stations on a map that can be zoomed and moved. The URL says which part is visible. The list next to it has the same stations for
// people who cannot see the map.
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Station } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { safeText } from "../../components/foreign-text.tsx";
import { formatCount } from "../formats.ts";
import type { UrlState } from "../url-state.ts";
import { dotsOf, type MapDot } from "./map-dots.ts";
import { drawnAt, fitting, MAP_HEIGHT, MAP_WIDTH, type MapPoint, type MapView, ZOOM_MAX, zoomed } from "./map-view.ts";
import styles from "./StationMap.module.css";
import { useMapGestures, ZOOM_STEP } from "./use-map-gestures.ts";
import { viewOf, viewText } from "./view-text.ts";
import { BORDERS, LAND } from "./world.ts";

/** A station with a known location. */
export interface PlacedStation {
  readonly station: Station;
  /** The station's position on the whole map. */
  readonly point: MapPoint;
}

const PAUSE_MS = 250;
const HINT_MS = 1500;
const RADIUS_PX = 4.5;
const CHOSEN_RADIUS_PX = 7;
const CLUSTER_RADIUS_PX = 9;
/** Zooms in no further than this at once, so that users keep their bearings. */
const CLUSTER_ZOOM_STEP_MAX = 4;
const DOT_DISTANCE_MIN_PX = 15;
const COUNT_PX = 10;

/** `home` is the initial view. */
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
  const hint = useHint();
  const gestures = useMapGestures({ view: () => latest.current, show, reset, onPlainWheel: hint.show });
  const zoom = (factor: number): void => show(zoomed(latest.current, factor));
  const map = useRef<SVGSVGElement>(null);
  const unit = useUnit(map);
  // Plays a single station. Zooms in on stations that overlap.
  const choose = ([first, ...others]: MapDot<PlacedStation>["places"]): void =>
    others.length === 0
      ? onPlay(first.station)
      : show(
          fitting(
            [first, ...others].map(({ point }) => point),
            Math.min(ZOOM_MAX, latest.current.zoom * CLUSTER_ZOOM_STEP_MAX),
          ),
        );
  return (
    <div class={styles.frame}>
      <svg
        ref={map}
        class={`${styles.map} ${isGliding ? styles.gliding : ""} ${view.zoom > 1 ? styles.near : ""}`}
        viewBox={`0 0 ${MAP_WIDTH} ${MAP_HEIGHT}`}
        // Attribute names in SVG are case-sensitive.
        tabindex={0}
        role="application"
        aria-roledescription="map"
        aria-label={`Map of ${formatCount(places.length, "station")}. Plus and minus zoom, the arrow keys move, 0 shows the whole map. The list has the same stations.`}
        {...gestures}
      >
        <g class={styles.world} style={{ transform: worldTransform(view) }}>
          <path class={styles.land} d={LAND} />
          <path class={styles.borders} d={BORDERS} />
        </g>
        {dotsOf(places, view, DOT_DISTANCE_MIN_PX * unit).map((dot) => (
          <Dot
            key={dot.places[0].station.uuid}
            dot={dot}
            isChosen={dot.places.some(({ station }) => station.uuid === playing?.uuid)}
            unit={unit}
            onChoose={() => choose(dot.places)}
          />
        ))}
      </svg>
      {hint.isShown && (
        <p class={styles.hint} aria-hidden="true">
          Hold Ctrl (⌘) while you scroll to zoom the map
        </p>
      )}
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

// Shown for a moment after the wheel was turned without Ctrl.
function useHint() {
  const [isShown, setShown] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    isShown,
    show(): void {
      setShown(true);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setShown(false), HINT_MS);
    },
  };
}

// While the map is being moved, the view is kept here; it is written into the URL when the movement ends.
function useView(url: UrlState, home: MapView) {
  const text = url.get("view");
  const fromUrl = useMemo(() => viewOf(text), [text]);
  const [held, setHeld] = useState<{ readonly view: MapView; readonly isGliding: boolean } | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const view = held?.view ?? fromUrl ?? home;
  // Several moves may come before the next render.
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

function Dot({
  dot: {
    places: [first, ...others],
    at,
  },
  isChosen,
  unit,
  onChoose,
}: {
  readonly dot: MapDot<PlacedStation>;
  readonly isChosen: boolean;
  readonly unit: number;
  readonly onChoose: () => void;
}) {
  const count = others.length + 1;
  const name = safeText(first.station.name);
  const radius = (count > 1 ? CLUSTER_RADIUS_PX : isChosen ? CHOSEN_RADIUS_PX : RADIUS_PX) * unit;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the list has the same actions for keyboard users.
    <g
      class={isChosen ? `${styles.dot} ${styles.chosen}` : styles.dot}
      style={{ transform: `translate(${at.x}px, ${at.y}px)` }}
      data-stations={count}
      onClick={onChoose}
    >
      <title>{count > 1 ? `${count} stations, including ${name}` : name}</title>
      <circle r={radius} />
      {count > 1 && (
        <text y={COUNT_PX * unit * 0.36} style={{ fontSize: `${COUNT_PX * unit}px` }}>
          {count}
        </text>
      )}
    </g>
  );
}

// How many units of the map a pixel is, so that dots have the same size on a phone.
function useUnit(map: RefObject<SVGSVGElement | null>): number {
  const [unit, setUnit] = useState(1);
  useLayoutEffect(() => {
    const sizes = new ResizeObserver(() => setUnit(MAP_WIDTH / Math.max(1, map.current?.clientWidth ?? 1)));
    if (map.current !== null) {
      sizes.observe(map.current);
    }
    return () => sizes.disconnect();
  }, []);
  return unit;
}

const worldTransform = (view: MapView): string => {
  const { x, y } = drawnAt({ x: 0, y: 0 }, view);
  return `translate(${x}px, ${y}px) scale(${view.zoom})`;
};
