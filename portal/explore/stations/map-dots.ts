// Which dots stand for places on the part of a map that is seen. Places that could not be told apart are one dot. Pure.
import { drawnAt, isSeen, type MapPoint, type MapView } from "./map-view.ts";

/** One dot. */
export interface MapDot<Place> {
  /** For these, in the order in which they were given; at least one. */
  readonly places: readonly [Place, ...Place[]];
  /** Where the first of them is drawn. */
  readonly at: MapPoint;
}

/** The dots of `places`; no two of them are nearer to each other than `apart`, in units of what is drawn. */
export function dotsOf<Place extends { readonly point: MapPoint }>(
  places: readonly Place[],
  view: MapView,
  apart: number,
): readonly MapDot<Place>[] {
  const dots: { readonly places: [Place, ...Place[]]; readonly at: MapPoint }[] = [];
  for (const place of places.filter(({ point }) => isSeen(point, view))) {
    const at = drawnAt(place.point, view);
    const near = dots.find((dot) => Math.hypot(dot.at.x - at.x, dot.at.y - at.y) < apart);
    if (near === undefined) {
      dots.push({ places: [place], at });
    } else {
      near.places.push(place);
    }
  }
  return dots;
}
