// What an account has called recently: alerts, totals, a chart of the last day, and its services.
import { useMemo } from "preact/hooks";
import type { Subscription } from "../../../../gen/quintet/account/v1/account_pb.js";
import { type Plan, StatusService } from "../../../../gen/quintet/account/v1/status_pb.js";
import { UsageDimension, UsageMeasure } from "../../../../gen/quintet/account/v1/usage_pb.js";
import { useQuery } from "../../../api/use-query.ts";
import { Loaded } from "../../../components/ui/Loaded.tsx";
import { takesCards } from "../../server-facts.ts";
import { PACE_DAYS } from "../../usage/run-out.ts";
import { type UsageReport, type UsageRow, useUsage } from "../../usage/usage-report.ts";
import { Alerts } from "./Alerts.tsx";
import { DayChart } from "./DayChart.tsx";
import { LastCalls } from "./LastCalls.tsx";
import { lastDayOf } from "./last-day.ts";
import { monthAlerts, requestedPlans } from "./month-alerts.ts";
import { ServicesTable } from "./ServicesTable.tsx";
import { Tiles } from "./Tiles.tsx";

const REFETCH_OPTIONS = { refetchInterval: 15_000 };
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const ROWS_MAX = 1000;
/** The height of a placeholder: about a screen, so that nothing visible moves once the data has arrived. */
export const SCREEN_REM = 70;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export function Dashboard({ subscriptions }: { readonly subscriptions: readonly Subscription[] }) {
  // The spans move on every hour, not with each render.
  const hour = Math.floor(Date.now() / HOUR_MS);
  const nowMs = useMemo(() => Date.now(), [hour]);
  const today = dayOf(nowMs);
  const paceFrom = dayOf(nowMs - (PACE_DAYS + 1) * DAY_MS);
  const monthFrom = `${today.slice(0, 7)}-01`;
  const byHour = { fromDay: dayOf(nowMs - DAY_MS), toDay: today, limit: ROWS_MAX };
  const byDay = { fromDay: paceFrom < monthFrom ? paceFrom : monthFrom, toDay: today, limit: ROWS_MAX };
  const groupBy = [UsageDimension.HOUR, UsageDimension.SERVICE];
  const { listPlans } = StatusService.method;
  const hours = useUsage({ ...byHour, groupBy }, REFETCH_OPTIONS);
  const days = useUsage({ ...byDay, groupBy: [UsageDimension.DAY, UsageDimension.SERVICE] }, REFETCH_OPTIONS);
  const refusals = useUsage({ ...byHour, measure: UsageMeasure.REFUSALS, groupBy }, REFETCH_OPTIONS);
  const latency = useUsage({ measure: UsageMeasure.LATENCY, fromDay: today, toDay: today }, REFETCH_OPTIONS);
  const plans = useQuery(listPlans, {}, { staleTime: Number.POSITIVE_INFINITY });
  return (
    <Loaded query={hours} rem={SCREEN_REM}>
      {(usage) => (
        <Loaded query={days} rem={SCREEN_REM}>
          {(month) => (
            <Loaded query={refusals} rem={SCREEN_REM}>
              {(refused) => (
                <Loaded query={plans} rem={SCREEN_REM}>
                  {({ results }) => (
                    <Figures
                      usage={usage}
                      month={month}
                      refused={refused}
                      latency={latency.data?.results ?? []}
                      plans={results}
                      subscriptions={subscriptions}
                      nowMs={nowMs}
                    />
                  )}
                </Loaded>
              )}
            </Loaded>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

function Figures({
  usage,
  month,
  refused,
  latency,
  plans,
  subscriptions,
  nowMs,
}: {
  readonly usage: UsageReport;
  readonly month: UsageReport;
  readonly refused: UsageReport;
  readonly latency: readonly UsageRow[];
  readonly plans: readonly Plan[];
  readonly subscriptions: readonly Subscription[];
  readonly nowMs: number;
}) {
  const { standings } = month;
  const day = lastDayOf(usage.results, refused.results, nowMs);
  const alerts = monthAlerts({
    standings,
    plans,
    days: month.results,
    requested: requestedPlans(subscriptions),
    nowMs,
    takesCards: takesCards(),
  });
  return (
    <>
      <Alerts alerts={alerts} />
      <Tiles day={day} days={month.results} nowMs={nowMs} />
      <DayChart day={day} />
      <ServicesTable day={day} standings={standings} latency={latency} />
      <LastCalls />
    </>
  );
}
