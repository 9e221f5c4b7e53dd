// The stations on a map of the world, or of the part of it in which they are. The list beside it has the same for the keyboard.
import { type ExtendedFeatureCollection, geoEqualEarth, geoPath } from "d3-geo";
import { useMemo } from "preact/hooks";
import { feature } from "topojson-client";
import land from "world-atlas/land-110m.json";
import type { Station } from "../../../gen/quintet/radio/v1/radio_pb.js";
import styles from "./Stations.module.css";

const WIDTH = 720;
const HEIGHT = 360;
const MARGIN = 36;
/** No map is drawn nearer than this. */
const SCALE_MAX = 1800;

const topology = land as unknown as Parameters<typeof feature>[0];
const outline = feature(
  topology,
  topology.objects.land ?? { type: "GeometryCollection", geometries: [] },
) as ExtendedFeatureCollection;

/** `isNear` draws the part in which the stations are. */
export function StationMap({
  stations,
  playing,
  isNear,
  onPlay,
}: {
  readonly stations: readonly Station[];
  readonly playing: Station | undefined;
  readonly isNear: boolean;
  readonly onPlay: (station: Station) => void;
}) {
  const { path, dots } = useMemo(() => drawn(stations, isNear), [stations, isNear]);
  return (
    <svg class={styles.map} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${stations.length} stations on a map`}>
      <path class={styles.land} d={path} />
      {dots.map(({ station, x, y }) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the list beside it has the same for the keyboard.
        <circle
          key={station.uuid}
          class={station.uuid === playing?.uuid ? `${styles.dot} ${styles.chosen}` : styles.dot}
          cx={x}
          cy={y}
          r={station.uuid === playing?.uuid ? 8 : 5}
          onClick={() => onPlay(station)}
        >
          <title>{station.name}</title>
        </circle>
      ))}
    </svg>
  );
}

function drawn(stations: readonly Station[], isNear: boolean) {
  const points = stations.flatMap((station) =>
    station.geo === undefined ? [] : [{ station, at: [station.geo.lon, station.geo.lat] as [number, number] }],
  );
  const projection = geoEqualEarth();
  const extent: [[number, number], [number, number]] = [
    [MARGIN, MARGIN],
    [WIDTH - MARGIN, HEIGHT - MARGIN],
  ];
  if (isNear && points.length > 0) {
    projection.fitExtent(extent, { type: "MultiPoint", coordinates: points.map(({ at }) => at) });
    const [first] = points;
    if (!(projection.scale() <= SCALE_MAX) && first !== undefined) {
      const middle = geoPath().centroid({ type: "MultiPoint", coordinates: points.map(({ at }) => at) });
      projection
        .scale(SCALE_MAX)
        .center(middle)
        .translate([WIDTH / 2, HEIGHT / 2]);
    }
    projection.clipExtent([
      [-1, -1],
      [WIDTH + 1, HEIGHT + 1],
    ]);
  } else {
    projection.fitExtent(
      [
        [0, 6],
        [WIDTH, HEIGHT - 6],
      ],
      { type: "Sphere" },
    );
  }
  return {
    path: geoPath(projection).digits(1)(outline) ?? "",
    dots: points.flatMap(({ station, at }) => {
      const place = projection(at);
      return place === null ? [] : [{ station, x: place[0], y: place[1] }];
    }),
  };
}
