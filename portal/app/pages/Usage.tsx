// What the account has called, what was refused, and how much of its quotas is used.
import { useMemo } from "preact/hooks";
import { useLocation } from "preact-iso";
import { KeyService } from "../../../gen/quintet/account/v1/key_pb.js";
import { UsageDimension } from "../../../gen/quintet/account/v1/usage_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { ButtonLink } from "../../components/ui/Button.tsx";
import { EmptyState } from "../../components/ui/EmptyState.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { CallsOverTime } from "../usage/CallsOverTime.tsx";
import { FilterBar } from "../usage/FilterBar.tsx";
import { filtersOf } from "../usage/filters.ts";
import { LatencyOverTime } from "../usage/LatencyOverTime.tsx";
import { CallsTable, RefusalsTable } from "../usage/MonthTables.tsx";
import { QuotaBars } from "../usage/QuotaBars.tsx";
import { PACE_DAYS } from "../usage/run-out.ts";
import { useUsage } from "../usage/usage-report.ts";

const READ_INTERVAL_MS = 15_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export default function Usage() {
  const { query } = useLocation();
  const filters = filtersOf(query);
  const keys = useQuery(KeyService.method.listKeys, {});
  // The span moves on every hour, not with each render.
  const hour = Math.floor(Date.now() / HOUR_MS);
  const nowMs = useMemo(() => Date.now(), [hour]);
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const pace = {
    fromDay: dayOf(nowMs - (PACE_DAYS + 1) * DAY_MS),
    groupBy: [UsageDimension.DAY, UsageDimension.SERVICE],
    limit: 1000,
  };
  const month = useUsage(pace, { refetchInterval: READ_INTERVAL_MS });
  return (
    <>
      <Heading title="Usage" lead="Updated every few seconds. Times are in UTC." />
      <Loaded query={keys} rem={30}>
        {({ results: ownKeys }) => (
          <Loaded query={month} rem={30}>
            {({ standings, total, results }) => {
              const own = { filters, keys: ownKeys, today: dayOf(nowMs) };
              return standings.length === 0 && total === 0 ? (
                <>
                  <EmptyState title="No usage yet">
                    <p>Subscribe to a service, create a key and make a call. It will show up here.</p>
                    <ButtonLink kind="primary" href="/app/subscriptions">
                      Choose a plan
                    </ButtonLink>
                  </EmptyState>
                  <RefusalsTable {...own} />
                </>
              ) : (
                <>
                  <FilterBar filters={filters} keys={ownKeys} />
                  <QuotaBars
                    standings={standings.filter(({ service }) => filters.service === "" || service === filters.service)}
                    rows={results}
                    nowMs={nowMs}
                  />
                  <CallsOverTime filters={filters} nowMs={nowMs} />
                  <LatencyOverTime filters={filters} nowMs={nowMs} />
                  <CallsTable {...own} />
                  <RefusalsTable {...own} />
                </>
              );
            }}
          </Loaded>
        )}
      </Loaded>
    </>
  );
}
