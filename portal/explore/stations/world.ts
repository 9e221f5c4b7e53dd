// The map of the whole world: where a place on Earth is on it, the outline of the land, and the borders of countries. Pure.
import { type ExtendedFeatureCollection, geoEqualEarth, geoPath } from "d3-geo";
import { feature, mesh } from "topojson-client";
import world from "world-atlas/countries-110m.json" with { type: "json" };
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

const topology = world as unknown as Parameters<typeof mesh>[0];
const { land, countries } = world.objects as unknown as Record<"land" | "countries", NonNullable<Parameters<typeof mesh>[1]>>;
const path = geoPath(projection).digits(2);

/** The outline of the land, as the data of an SVG path in units of the map. */
export const LAND: string = path(feature(topology, land) as ExtendedFeatureCollection) ?? "";

/** The borders between countries, as the data of an SVG path. */
export const BORDERS: string = path(mesh(topology, countries, (one, other) => one !== other)) ?? "";

/** The point of the map at these degrees north and east. */
export function pointOf(lat: number, lon: number): MapPoint {
  const [x, y] = projection([lon, lat]) ?? [MAP_WIDTH / 2, MAP_HEIGHT / 2];
  return { x, y };
}

/** The degrees north and east of a point of the map. */
export function placeAt({ x, y }: MapPoint): { readonly lat: number; readonly lon: number } {
  const [lon, lat] = projection.invert?.([x, y]) ?? [0, 0];
  return { lat, lon };
}
