// The map of the whole world: where a place of the earth is on it, and the outline of the land. Pure.
import { type ExtendedFeatureCollection, geoEqualEarth, geoPath } from "d3-geo";
import { feature } from "topojson-client";
import land from "world-atlas/land-110m.json" with { type: "json" };
import type { MapPoint } from "./map-view.ts";
import { MAP_HEIGHT, MAP_WIDTH } from "./map-view.ts";

const MARGIN = 6;

const projection = geoEqualEarth().fitExtent(
  [
    [0, MARGIN],
    [MAP_WIDTH, MAP_HEIGHT - MARGIN],
  ],
  { type: "Sphere" },
);

const topology = land as unknown as Parameters<typeof feature>[0];

/** The outline of the land, as the data of an SVG path in units of the map. */
export const LAND: string =
  geoPath(projection).digits(2)(
    feature(topology, topology.objects.land ?? { type: "GeometryCollection", geometries: [] }) as ExtendedFeatureCollection,
  ) ?? "";

/** Where degrees north and east are on the map. */
export function pointOf(lat: number, lon: number): MapPoint {
  const [x, y] = projection([lon, lat]) ?? [MAP_WIDTH / 2, MAP_HEIGHT / 2];
  return { x, y };
}

/** The degrees north and east of a point of the map. */
export function placeAt({ x, y }: MapPoint): { readonly lat: number; readonly lon: number } {
  const [lon, lat] = projection.invert?.([x, y]) ?? [0, 0];
  return { lat, lon };
}
