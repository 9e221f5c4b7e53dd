// Which part of the map is seen: the point in its middle, and how many times larger than the whole map. Pure.

/** The whole map, in its own units. What is seen of it is drawn into as many. */
export const MAP_WIDTH = 720;
export const MAP_HEIGHT = 360;

/** A point of the whole map. */
export interface MapPoint {
  readonly x: number;
  readonly y: number;
}

/** What is seen: `x` and `y` are its middle. */
export interface MapView extends MapPoint {
  /** From 1, the whole map, to ZOOM_MAX. */
  readonly zoom: number;
}

/** The outline of the land has no more detail than this shows. */
export const ZOOM_MAX = 40;
/** Stations are not brought nearer than this by themselves: what is around them says where they are. */
const FIT_ZOOM_MAX = 12;
/** What is kept free around stations that are brought near. */
const FIT_MARGIN = 36;

/** The whole map. */
export const WHOLE_MAP: MapView = { x: MAP_WIDTH / 2, y: MAP_HEIGHT / 2, zoom: 1 };

const limited = (value: number, from: number, to: number): number => Math.min(to, Math.max(from, value));

// Nothing beyond the map is seen.
function within({ x, y, zoom }: MapView): MapView {
  const near = limited(zoom, 1, ZOOM_MAX);
  const [left, top] = [MAP_WIDTH / 2 / near, MAP_HEIGHT / 2 / near];
  return { x: limited(x, left, MAP_WIDTH - left), y: limited(y, top, MAP_HEIGHT - top), zoom: near };
}

/** Where a point of the map is drawn. */
export const drawnAt = ({ x, y }: MapPoint, view: MapView): MapPoint => ({
  x: (x - view.x) * view.zoom + MAP_WIDTH / 2,
  y: (y - view.y) * view.zoom + MAP_HEIGHT / 2,
});

/** Whether a point of the map is seen. */
export function isSeen(point: MapPoint, view: MapView): boolean {
  const { x, y } = drawnAt(point, view);
  return x >= 0 && x <= MAP_WIDTH && y >= 0 && y <= MAP_HEIGHT;
}

/** Nearer by `factor`, or farther where that is under 1. What is drawn at `at` stays there; by default the middle. */
export function zoomed(view: MapView, factor: number, at: MapPoint = { x: MAP_WIDTH / 2, y: MAP_HEIGHT / 2 }): MapView {
  const zoom = limited(view.zoom * factor, 1, ZOOM_MAX);
  const [right, down] = [at.x - MAP_WIDTH / 2, at.y - MAP_HEIGHT / 2];
  return within({
    x: view.x + right / view.zoom - right / zoom,
    y: view.y + down / view.zoom - down / zoom,
    zoom,
  });
}

/** Moved by what is drawn so long: to the right and downwards. */
export const moved = (view: MapView, right: number, down: number): MapView =>
  within({ x: view.x + right / view.zoom, y: view.y + down / view.zoom, zoom: view.zoom });

/** The part of the map that has all these points, no nearer than `zoomMax`; the whole map where there are none. */
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

/** The view around a point. What the map does not have is put right. */
export const viewAround = ({ x, y }: MapPoint, zoom: number): MapView => within({ x, y, zoom });
