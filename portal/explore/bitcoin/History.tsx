// The history of one indicator: a plot, and the same data as a table.
import { useMemo } from "preact/hooks";
import { BitcoinService, type GetHistoryResponse, type GetSummaryResponse } from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { Plot } from "../../components/plot/Plot.tsx";
import { PlotTable } from "../../components/plot/PlotTable.tsx";
import type { LinesData } from "../../components/plot/plot-data.ts";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { formatDay } from "../formats.ts";
import type { Indicator } from "./indicators.ts";

const DAYS_MAX = 3650;
/** Each day has one value. */
const FRESH = { staleTime: 3_600_000 };
export const HISTORY_REM = 24;

/** `standing` is the indicator's value today; the bands use its thresholds. */
export function History({
  indicator,
  days,
  standing,
}: {
  readonly indicator: Indicator;
  readonly days: number;
  readonly standing: GetSummaryResponse["mayer" | "puell" | "nvt" | "s2f"];
}) {
  const { name, daysBefore } = indicator;
  const history = useQuery(
    BitcoinService.method.getHistory,
    { indicator: name, days: Math.min(DAYS_MAX, days + daysBefore) },
    FRESH,
  );
  return (
    <Loaded query={history} rem={HISTORY_REM}>
      {(read) => <Drawn indicator={indicator} days={days} history={read} zone={standing?.zone} />}
    </Loaded>
  );
}

type Zone = Parameters<Indicator["draw"]>[1];

function Drawn({
  indicator,
  days,
  history,
  zone,
}: {
  readonly indicator: Indicator;
  readonly days: number;
  readonly history: GetHistoryResponse;
  readonly zone: Zone;
}) {
  const data = useMemo(() => plotOf(indicator, history, days, zone), [indicator, history, days, zone]);
  return (
    <>
      <Plot label={`${indicator.title} over ${days} days`} data={data} />
      <PlotTable label={`${indicator.title}, day by day`} heading="Day" data={data} />
    </>
  );
}

// The first days, which are only needed to compute later values, are left out.
function plotOf(indicator: Indicator, { points }: GetHistoryResponse, days: number, zone: Zone): LinesData {
  const { series, bands } = indicator.draw(points, zone);
  const shown = points.slice(-days);
  return {
    kind: "lines",
    timesMs: shown.map(({ day }) => Date.parse(day)),
    series: series.map((one) => ({ ...one, values: one.values.slice(-shown.length) })),
    bands,
    isLogarithmic: indicator.isLogarithmic,
    formatTime: formatDay,
    formatValue: indicator.formatValue,
    ...(indicator.formatTick !== undefined && { formatTick: indicator.formatTick }),
  };
}
