// The visible part of the map, as text for the page's URL: the latitude and longitude of its centre, and its zoom: `48.21,16.37,12`.
import { type MapView, viewAround } from "./map-view.ts";
import { placeAt, pointOf } from "./world.ts";

// Even at the largest zoom, a hundredth of a degree is less than the width of a dot.
const DEGREE_DIGITS = 2;
const ZOOM_DIGITS = 1;

export function viewText(view: MapView): string {
  const { lat, lon } = placeAt(view);
  return [lat.toFixed(DEGREE_DIGITS), lon.toFixed(DEGREE_DIGITS), view.zoom.toFixed(ZOOM_DIGITS)].map(Number).join(",");
}

/** The view that a string describes; undefined if it is missing or invalid. */
export function viewOf(text: string | undefined): MapView | undefined {
  const numbers = /^(-?\d{1,3}(?:\.\d{1,6})?),(-?\d{1,3}(?:\.\d{1,6})?),(\d{1,3}(?:\.\d{1,6})?)$/
    .exec(text ?? "")
    ?.slice(1)
    .map(Number);
  const [lat = 0, lon = 0, zoom = 0] = numbers ?? [];
  return numbers === undefined || Math.abs(lat) > 90 || Math.abs(lon) > 180 || zoom < 1
    ? undefined
    : viewAround(pointOf(lat, lon), zoom);
}
