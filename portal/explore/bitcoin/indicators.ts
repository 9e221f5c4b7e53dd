// The four indicators, and how the history of each is drawn.
import type { HistoryPoint, Zone } from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import type { LinesData, PlotBand, PlotSeries } from "../../components/plot/plot-data.ts";
import { formatRatio, formatRatioTick, formatUsd } from "../formats.ts";
import { rollingQuantiles } from "./rolling-quantiles.ts";

/** The part of a history that is drawn. */
type Drawing = Pick<LinesData, "series" | "bands">;

export interface Indicator {
  readonly name: "mayer" | "puell" | "nvt" | "s2f";
  readonly title: string;
  /** What the indicator is, in a sentence or two. */
  readonly about: string;
  readonly isLogarithmic: boolean;
  /** How many days of data the indicator needs before the first day that is drawn. */
  readonly daysBefore: number;
  readonly formatValue: (value: number) => string;
  /** How values are written next to the grid, if not as `formatValue` does. */
  readonly formatTick?: (value: number) => string;
  /** `zone` is today's, with the thresholds; undefined until it is known. */
  readonly draw: (points: readonly HistoryPoint[], zone: Zone | undefined) => Drawing;
}

const TWO_YEARS_DAYS = 730;

const ratioLine = (points: readonly HistoryPoint[]): PlotSeries => ({
  label: "Ratio",
  colour: "var(--bitcoin)",
  values: points.map(({ ratio }) => ratio),
});

// Below the lower threshold Bitcoin is called cheap, above the upper one expensive.
const bandsOf = (zone: Zone | undefined): readonly PlotBand[] =>
  zone === undefined
    ? []
    : [
        { from: 0, to: zone.undervaluedBelow, colour: "var(--good)" },
        { from: zone.overvaluedAbove, to: Number.POSITIVE_INFINITY, colour: "var(--bad)" },
      ];

const fixedBands = (points: readonly HistoryPoint[], zone: Zone | undefined): Drawing => ({
  series: [ratioLine(points)],
  bands: bandsOf(zone),
});

/** In the order of the tiles. */
export const INDICATORS: readonly Indicator[] = [
  {
    name: "mayer",
    title: "Mayer Multiple",
    about:
      "The price divided by its 200-day average. Green: below the lower threshold (undervalued). Red: above the upper threshold (overvalued).",
    isLogarithmic: false,
    daysBefore: 0,
    formatValue: formatRatio,
    formatTick: formatRatioTick,
    draw: fixedBands,
  },
  {
    name: "puell",
    title: "Puell Multiple",
    about: "What miners earned in a day, divided by its 365-day average. Green: miners earn little. Red: miners earn a lot.",
    isLogarithmic: false,
    daysBefore: 0,
    formatValue: formatRatio,
    formatTick: formatRatioTick,
    draw: fixedBands,
  },
  {
    name: "nvt",
    title: "NVT Ratio",
    about:
      "The value of all coins divided by the average value transferred in a day, over 90 days. It has no fixed thresholds: the thin " +
      "lines are its 10th and 90th percentiles over the two years before each day.",
    isLogarithmic: false,
    daysBefore: TWO_YEARS_DAYS,
    formatValue: formatRatio,
    formatTick: formatRatioTick,
    draw(points, zone) {
      const ratios = points.map(({ ratio }) => ratio);
      const [low, high] = rollingQuantiles(ratios, TWO_YEARS_DAYS, [
        (zone?.undervaluedBelow ?? 10) / 100,
        (zone?.overvaluedAbove ?? 90) / 100,
      ]);
      return {
        series: [
          { label: "Ratio", colour: "var(--bitcoin)", values: ratios },
          { label: "Undervalued below", colour: "var(--good)", values: low ?? [] },
          { label: "Overvalued above", colour: "var(--bad)", values: high ?? [] },
        ],
        bands: [],
      };
    },
  },
  {
    name: "s2f",
    title: "Stock-to-Flow",
    about:
      "The price that a model derives from scarcity alone, next to the actual price. The model is controversial, has been far too optimistic " +
      "since 2022, and is not a forecast. The scale is logarithmic.",
    isLogarithmic: true,
    daysBefore: 0,
    formatValue: formatUsd,
    draw(points, zone) {
      const model = points.map(({ modelPrice }) => modelPrice ?? null);
      const times = (factor: number | undefined) =>
        model.map((value) => (value === null || factor === undefined ? null : value * factor));
      return {
        series: [
          { label: "Price", colour: "var(--bitcoin)", values: points.map(({ price }) => price ?? null) },
          { label: "Model", colour: "var(--accent)", values: model },
          { label: "Undervalued below", colour: "var(--good)", values: times(zone?.undervaluedBelow) },
          { label: "Overvalued above", colour: "var(--bad)", values: times(zone?.overvaluedAbove) },
        ],
        bands: [],
      };
    },
  },
];

/** The indicator with this name, or the first one. */
export const indicatorNamed = (name: string | undefined): Indicator =>
  INDICATORS.find((one) => one.name === name) ?? (INDICATORS[0] as Indicator);
