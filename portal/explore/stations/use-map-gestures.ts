// Moving a map: dragging and the arrow keys move it; the wheel with Ctrl held, two fingers, and the keys + and - zoom; 0 shows the
// initial view.
import type { TargetedKeyboardEvent, TargetedPointerEvent, TargetedWheelEvent } from "preact";
import { useRef } from "preact/hooks";
import { MAP_HEIGHT, MAP_WIDTH, type MapPoint, type MapView, moved, zoomed } from "./map-view.ts";

interface MapMoves {
  /** The current view, including gestures that are not rendered yet. */
  readonly view: () => MapView;
  /** Shows that view; a single step is animated, continuous moves are not. */
  readonly show: (view: MapView, how?: "gliding" | "at once") => void;
  /** Shows the initial view. */
  readonly reset: () => void;
  /** The wheel was turned without Ctrl, which scrolls the page. */
  readonly onPlainWheel: () => void;
}

/** The zoom factor of a key or a button. */
export const ZOOM_STEP = 1.6;
/** An arrow key moves the drawing by this much, in its own units. */
const MOVE_STEP = 80;
// Each pixel of the wheel multiplies the zoom by e to the power of this.
const WHEEL_PACE = 0.0016;
// Pinching on a touchpad arrives as a wheel with Ctrl, in smaller steps.
const PAD_PACE = 0.01;
const PAD_STEP_PX = 50;
const LINE_PX = 16;
/** A pointer that moves less than this has clicked. */
const DRAG_FROM_PX = 4;

const KEYS: Readonly<Record<string, (view: MapView) => MapView>> = {
  "+": (view) => zoomed(view, ZOOM_STEP),
  "=": (view) => zoomed(view, ZOOM_STEP),
  "-": (view) => zoomed(view, 1 / ZOOM_STEP),
  ArrowLeft: (view) => moved(view, -MOVE_STEP, 0),
  ArrowRight: (view) => moved(view, MOVE_STEP, 0),
  ArrowUp: (view) => moved(view, 0, -MOVE_STEP),
  ArrowDown: (view) => moved(view, 0, MOVE_STEP),
};

/** The event handlers of the map's element. */
export function useMapGestures({ view, show, reset, onPlainWheel }: MapMoves) {
  const pointers = useRef(new Map<number, MapPoint>());
  const distance = useRef(0);
  const leave = (event: TargetedPointerEvent<SVGSVGElement>): void => void pointers.current.delete(event.pointerId);

  return {
    // The wheel alone scrolls the page, as everywhere else on it. With Ctrl the browser would zoom the whole page.
    onWheel(event: TargetedWheelEvent<SVGSVGElement>) {
      if (!event.ctrlKey && !event.metaKey) {
        onPlainWheel();
        return;
      }
      event.preventDefault();
      const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1);
      const pace = Math.abs(pixels) < PAD_STEP_PX ? PAD_PACE : WHEEL_PACE;
      show(zoomed(view(), Math.exp(-pixels * pace), pointOn(event)), "at once");
    },

    onPointerDown(event: TargetedPointerEvent<SVGSVGElement>) {
      if (event.button === 0) {
        distance.current = pointers.current.size === 0 ? 0 : distance.current;
        pointers.current.set(event.pointerId, pointOn(event));
      }
    },

    onPointerMove(event: TargetedPointerEvent<SVGSVGElement>) {
      const from = pointers.current.get(event.pointerId);
      if (from === undefined) {
        return;
      }
      const to = pointOn(event);
      pointers.current.set(event.pointerId, to);
      const [other] = [...pointers.current].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
      distance.current += Math.hypot(to.x - from.x, to.y - from.y);
      if (distance.current < DRAG_FROM_PX) {
        return;
      }
      // A pointer that the map has captured does not click what is on the map.
      event.currentTarget.setPointerCapture(event.pointerId);
      show(other === undefined ? moved(view(), from.x - to.x, from.y - to.y) : pinched(view(), from, to, other), "at once");
    },

    onPointerUp: leave,
    onPointerCancel: leave,
    onPointerLeave: leave,

    onKeyDown(event: TargetedKeyboardEvent<SVGSVGElement>) {
      if (event.altKey || event.ctrlKey || event.metaKey) {
        return;
      }
      const step = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : undefined;
      if (step !== undefined) {
        event.preventDefault();
        show(step(view()));
      } else if (event.key === "0") {
        reset();
      }
    },
  };
}

// One of two fingers has moved: the point between them stays between them.
function pinched(view: MapView, from: MapPoint, to: MapPoint, other: MapPoint): MapView {
  const apart = (point: MapPoint): number => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
  const middle = { x: (from.x + other.x) / 2, y: (from.y + other.y) / 2 };
  return moved(zoomed(view, apart(to) / apart(from), middle), (from.x - to.x) / 2, (from.y - to.y) / 2);
}

// Where the pointer is, in units of the drawing.
function pointOn({
  clientX,
  clientY,
  currentTarget,
}: {
  clientX: number;
  clientY: number;
  currentTarget: SVGSVGElement;
}): MapPoint {
  const { left, top, width, height } = currentTarget.getBoundingClientRect();
  return { x: ((clientX - left) * MAP_WIDTH) / width, y: ((clientY - top) * MAP_HEIGHT) / height };
}
