// The dots for the places on the visible part of a map. Places that would overlap become one dot. Pure.
import { drawnAt, isSeen, type MapPoint, type MapView } from "./map-view.ts";

export interface MapDot<Place> {
  /** The places of the dot, in the order given; at least one. */
  readonly places: readonly [Place, ...Place[]];
  /** Where its first place is drawn. */
  readonly at: MapPoint;
}

/** The dots of `places`. No two are closer than `apart`, in units of the drawing. */
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
