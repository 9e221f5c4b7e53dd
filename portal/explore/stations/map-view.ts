// The visible part of the map: its centre, and how far it is zoomed in. Pure.

/** The size of the whole map in its own units. The visible part is drawn at the same size. */
export const MAP_WIDTH = 720;
export const MAP_HEIGHT = 360;

/** A point of the whole map. */
export interface MapPoint {
  readonly x: number;
  readonly y: number;
}

/** The visible part: `x` and `y` are its centre. */
export interface MapView extends MapPoint {
  /** From 1, the whole map, to ZOOM_MAX. */
  readonly zoom: number;
}

/** The outline of the land has no more detail beyond this. */
export const ZOOM_MAX = 40;
/** Zooming to stations stops here: their surroundings show where they are. */
const FIT_ZOOM_MAX = 12;
/** The margin around the stations that the map zooms to. */
const FIT_MARGIN = 36;

export const WHOLE_MAP: MapView = { x: MAP_WIDTH / 2, y: MAP_HEIGHT / 2, zoom: 1 };

const clamp = (value: number, from: number, to: number): number => Math.min(to, Math.max(from, value));

// Keeps the view within the map.
function within({ x, y, zoom }: MapView): MapView {
  const near = clamp(zoom, 1, ZOOM_MAX);
  const [left, top] = [MAP_WIDTH / 2 / near, MAP_HEIGHT / 2 / near];
  return { x: clamp(x, left, MAP_WIDTH - left), y: clamp(y, top, MAP_HEIGHT - top), zoom: near };
}

/** Where a point of the map is drawn. */
export const drawnAt = ({ x, y }: MapPoint, view: MapView): MapPoint => ({
  x: (x - view.x) * view.zoom + MAP_WIDTH / 2,
  y: (y - view.y) * view.zoom + MAP_HEIGHT / 2,
});

/** Whether a point of the map is visible. */
export function isSeen(point: MapPoint, view: MapView): boolean {
  const { x, y } = drawnAt(point, view);
  return x >= 0 && x <= MAP_WIDTH && y >= 0 && y <= MAP_HEIGHT;
}

/** Zooms in by `factor`, or out if it is below 1. The point at `at`, by default the centre, stays in place. */
export function zoomed(view: MapView, factor: number, at: MapPoint = { x: MAP_WIDTH / 2, y: MAP_HEIGHT / 2 }): MapView {
  const zoom = clamp(view.zoom * factor, 1, ZOOM_MAX);
  const [right, down] = [at.x - MAP_WIDTH / 2, at.y - MAP_HEIGHT / 2];
  return within({
    x: view.x + right / view.zoom - right / zoom,
    y: view.y + down / view.zoom - down / zoom,
    zoom,
  });
}

/** The view, moved to the right and down by these distances in the drawing. */
export const moved = (view: MapView, right: number, down: number): MapView =>
  within({ x: view.x + right / view.zoom, y: view.y + down / view.zoom, zoom: view.zoom });

/** The part of the map that contains all these points, zoomed in no further than `zoomMax`; the whole map if there are none. */
export function fitting(points: readonly MapPoint[], zoomMax: number = FIT_ZOOM_MAX): MapView {
  if (points.length === 0) {
    return WHOLE_MAP;
  }
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  return within({
    x: (left + right) / 2,
    y: (top + bottom) / 2,
    zoom: Math.min(
      zoomMax,
      (MAP_WIDTH - 2 * FIT_MARGIN) / Math.max(0.01, right - left),
      (MAP_HEIGHT - 2 * FIT_MARGIN) / Math.max(0.01, bottom - top),
    ),
  });
}

/** The view around a point, moved and zoomed to stay within the map. */
export const viewAround = ({ x, y }: MapPoint, zoom: number): MapView => within({ x, y, zoom });
