// The history of one indicator: a plot, and the same as a table.
import { useMemo } from "preact/hooks";
import { BitcoinService, type GetHistoryResponse, type GetSummaryResponse } from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { Skeleton } from "../../components/ui/Skeleton.tsx";
import { formatDay, secondsOf } from "../formats.ts";
import { Plot } from "../Plot.tsx";
import { PlotTable } from "../PlotTable.tsx";
import { Problem } from "../Problem.tsx";
import type { Indicator } from "./indicators.ts";

const DAYS_MAX = 3650;
const PLOT_REM = 24;

/** `standing` is where it stands today: its thresholds are those of the bands. */
export function History({
  indicator,
  days,
  standing,
}: {
  readonly indicator: Indicator;
  readonly days: number;
  readonly standing: GetSummaryResponse["mayer" | "puell" | "nvt" | "s2f"];
}) {
  const { name, title, daysBefore, isLogarithmic, formatValue } = indicator;
  const history = useQuery(BitcoinService.method.getHistory, { indicator: name, days: Math.min(DAYS_MAX, days + daysBefore) });
  const isOther = history.data?.indicator !== name;
  const drawing = useMemo(
    () => (history.data === undefined || isOther ? undefined : drawn(indicator, history.data, days, standing?.zone)),
    [history.data, isOther, indicator, days, standing],
  );
  if (drawing === undefined) {
    return history.problem === undefined ? (
      <Skeleton rem={PLOT_REM} />
    ) : (
      <Problem problem={history.problem} onRetry={history.refetch} />
    );
  }
  const common = { moments: drawing.moments, lines: drawing.lines, formatValue, formatMoment: formatDay };
  return (
    <>
      <Plot label={`${title} over ${days} days`} {...common} bands={drawing.bands} isLogarithmic={isLogarithmic} />
      <PlotTable label={`${title}, day by day`} heading="Day" {...common} />
    </>
  );
}

// What is needed only for what comes after it is cut off.
function drawn(indicator: Indicator, { points }: GetHistoryResponse, days: number, zone: Parameters<Indicator["draw"]>[1]) {
  const { lines, bands } = indicator.draw(points, zone);
  const shown = points.slice(-days);
  return {
    moments: shown.map(({ day }) => secondsOf(day)),
    lines: lines.map((line) => ({ ...line, values: line.values.slice(-shown.length) })),
    bands,
  };
}
