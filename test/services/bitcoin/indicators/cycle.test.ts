import { describe, expect, test } from "vitest";
import { CycleRead, ZoneName } from "../../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { cycleOf } from "../../../../src/services/bitcoin/indicators/cycle.ts";
import { ZONE_THRESHOLDS, zoneOf } from "../../../../src/services/bitcoin/indicators/zone.ts";

describe("the zone of a value", () => {
  test.each<[keyof typeof ZONE_THRESHOLDS, number, Lowercase<keyof typeof ZoneName>]>([
    ["mayer", 0.999, "undervalued"],
    ["mayer", 1, "neutral"],
    ["mayer", 2.4, "neutral"],
    ["mayer", 2.401, "overvalued"],
    ["puell", 0.499, "undervalued"],
    ["puell", 0.5, "neutral"],
    ["puell", 4, "neutral"],
    ["puell", 4.001, "overvalued"],
    ["nvt", 9.99, "undervalued"],
    ["nvt", 10, "neutral"],
    ["nvt", 90, "neutral"],
    ["nvt", 90.01, "overvalued"],
    ["s2f", 0.099, "undervalued"],
    ["s2f", 0.1, "neutral"],
    ["s2f", 2.4, "neutral"],
    ["s2f", 2.401, "overvalued"],
  ])("of %s, %d, is %s", (indicator, value, name) => {
    expect(zoneOf(value, ZONE_THRESHOLDS[indicator])).toEqual({
      name: ZoneName[name.toUpperCase() as keyof typeof ZoneName],
      value,
      ...ZONE_THRESHOLDS[indicator],
    });
  });
});

describe("the four indicators together", () => {
  // The middle of a scale of ratios is the geometric mean of its ends.
  const middle = { mayer: Math.sqrt(2.4), puell: Math.sqrt(2), nvt: 50, s2f: Math.sqrt(0.24) };
  const bottom = { mayer: 0.5, puell: 0.2, nvt: 0, s2f: 0.01 };
  const top = { mayer: 9, puell: 9, nvt: 100, s2f: 9 };

  test.each<[string, typeof middle, ReturnType<typeof cycleOf>]>([
    ["all below their thresholds", bottom, { read: CycleRead.DEEP_VALUE, score: 0, agreement: 1 }],
    ["all in the middle", middle, { read: CycleRead.NEUTRAL, score: 50, agreement: 1 }],
    ["all above their thresholds", top, { read: CycleRead.EUPHORIA, score: 100, agreement: 1 }],
    ["one of the heavier ones at the bottom", { ...middle, nvt: 0 }, { read: CycleRead.VALUE, score: 35.7, agreement: 0.75 }],
    ["the lighter one at the bottom", { ...middle, s2f: 0.05 }, { read: CycleRead.NEUTRAL, score: 42.9, agreement: 0.75 }],
    ["two against two", { ...top, mayer: 1.5, nvt: 50 }, { read: CycleRead.RICH, score: 70.4, agreement: 0.5 }],
    ["two, one and one", { ...middle, mayer: 0.9, puell: 5 }, { read: CycleRead.NEUTRAL, score: 50, agreement: 0.5 }],
    [
      "a score on the border between two labels",
      { ...bottom, nvt: 66, puell: 0.5 },
      { read: CycleRead.VALUE, score: 20, agreement: 0.5 },
    ],
  ])("%s", (_, { mayer, puell, nvt, s2f }, cycle) => {
    expect(
      cycleOf({
        mayer: zoneOf(mayer, ZONE_THRESHOLDS.mayer),
        puell: zoneOf(puell, ZONE_THRESHOLDS.puell),
        nvt: zoneOf(nvt, ZONE_THRESHOLDS.nvt),
        s2f: zoneOf(s2f, ZONE_THRESHOLDS.s2f),
      }),
    ).toEqual(cycle);
  });
});
