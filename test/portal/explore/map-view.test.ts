// Which part of the map is visible, and how a URL encodes it.
import { describe, expect, test } from "vitest";
import { dotsOf } from "../../../portal/explore/stations/map-dots.ts";
import {
  drawnAt,
  fitting,
  isSeen,
  type MapView,
  moved,
  viewAround,
  WHOLE_MAP,
  ZOOM_MAX,
  zoomed,
} from "../../../portal/explore/stations/map-view.ts";
import { viewOf, viewText } from "../../../portal/explore/stations/view-text.ts";
import { placeAt, pointOf } from "../../../portal/explore/stations/world.ts";

const VIENNA = pointOf(48.2082, 16.3738);
const rounded = ({ x, y, zoom }: MapView): MapView => ({ x: Math.round(x * 10) / 10, y: Math.round(y * 10) / 10, zoom });

describe("a view of the map", () => {
  test("keeps the place under the pointer while zooming in, and zooms back out to the same view", () => {
    const at = drawnAt(VIENNA, WHOLE_MAP);
    const near = zoomed(WHOLE_MAP, 8, at);
    const after = drawnAt(VIENNA, near);
    expect([near.zoom, after.x.toFixed(3), after.y.toFixed(3)]).toEqual([8, at.x.toFixed(3), at.y.toFixed(3)]);
    expect(rounded(zoomed(near, 1 / 8, at))).toEqual(WHOLE_MAP);
  });

  test.each<[string, MapView, MapView]>([
    ["nearer than the nearest", zoomed(WHOLE_MAP, 1000), { x: 360, y: 180, zoom: ZOOM_MAX }],
    ["farther than the whole", zoomed(WHOLE_MAP, 0.1), WHOLE_MAP],
    ["beyond the western end", moved(zoomed(WHOLE_MAP, 2), -5000, 0), { x: 180, y: 180, zoom: 2 }],
    ["beyond the southern end", moved(zoomed(WHOLE_MAP, 2), 0, 5000), { x: 360, y: 270, zoom: 2 }],
    ["the whole map cannot be moved", moved(WHOLE_MAP, 80, -80), WHOLE_MAP],
    ["to the east by the visible part", moved(zoomed(WHOLE_MAP, 4), 80, 0), { x: 380, y: 180, zoom: 4 }],
    ["around nothing", fitting([]), WHOLE_MAP],
    ["around one point", rounded(fitting([{ x: 100, y: 100 }])), { x: 100, y: 100, zoom: 12 }],
    [
      "around points far apart",
      rounded(
        fitting([
          { x: 200, y: 100 },
          { x: 524, y: 200 },
        ]),
      ),
      { x: 362, y: 150, zoom: 2 },
    ],
  ])("%s", (_, view, expected) => {
    expect(view).toEqual(expected);
  });

  test("reports what is visible", () => {
    const near = fitting([VIENNA]);
    expect([isSeen(VIENNA, near), isSeen(pointOf(47.3769, 8.5417), near), isSeen(pointOf(-33.8688, 151.2093), near)]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

test("places too close to tell apart share a dot, and invisible ones have none", () => {
  const placed = (name: string, x: number, y: number) => ({ name, point: { x, y } });
  const places = [placed("a", 100, 100), placed("b", 104, 103), placed("c", 120, 100), placed("d", 700, 350), placed("e", 94, 100)];
  const namesOf = (view: MapView) => dotsOf(places, view, 15).map((dot) => dot.places.map(({ name }) => name).join(""));
  expect([namesOf(WHOLE_MAP), namesOf(viewAround({ x: 100, y: 100 }, 4))]).toEqual([
    ["abe", "c", "d"],
    ["a", "b", "c", "e"],
  ]);
});

test("a place on Earth is projected to the map and back", () => {
  const { lat, lon } = placeAt(pointOf(-33.8688, 151.2093));
  expect([lat.toFixed(4), lon.toFixed(4)]).toEqual(["-33.8688", "151.2093"]);
});

describe("in a URL", () => {
  test("a view is written as the coordinates of its centre and its zoom", () => {
    expect(viewText({ ...VIENNA, zoom: 12.34 })).toBe("48.21,16.37,12.3");
    expect(viewText(viewOf("48.21,16.37,12.3") as MapView)).toBe("48.21,16.37,12.3");
    expect(viewText(WHOLE_MAP)).toBe("0,0,1");
  });

  test.each([undefined, "", "48.21", "48.21,16.37", "north,16,3", "91,0,3", "0,181,3", "0,0,0.5", "1e3,0,3", "0,0,1,0", "0,0,NaN"])(
    "%j is not a view",
    (text) => {
      expect(viewOf(text)).toBeUndefined();
    },
  );

  test("a view beyond the map is corrected", () => {
    expect(viewText(viewOf("85,-179,999") as MapView)).toMatch(/,40$/);
  });
});
