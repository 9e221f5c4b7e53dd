// The log of the account's calls: individual calls from recent days, searchable.
import { useLocation } from "preact-iso";
import { KeyService } from "../../../gen/quintet/account/v1/key_pb.js";
import { type Call, type ListCallsResponse, UsageService } from "../../../gen/quintet/account/v1/usage_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { Button, ButtonLink } from "../../components/ui/Button.tsx";
import { EmptyState } from "../../components/ui/EmptyState.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { LogFilterBar } from "../calls/LogFilterBar.tsx";
import { type LogFilters, logFiltersOf, logPath, logRequestOf } from "../calls/log-filters.ts";
import { ParameterSwitch } from "../calls/ParameterSwitch.tsx";
import { formatNumber } from "../formats.ts";
import { CallRow } from "../live/CallRow.tsx";
import { CallRows } from "../live/CallRows.tsx";
import { DayLine } from "../live/DayLine.tsx";
import styles from "./Calls.module.css";

export default function Calls() {
  const filters = logFiltersOf(useLocation().query);
  const log = useQuery(UsageService.method.listCalls, logRequestOf(filters), { staleTime: 0 });
  const keys = useQuery(KeyService.method.listKeys, {});
  const hasFieldProblem = Object.keys(log.problem?.fields ?? {}).length > 0;
  return (
    <>
      <Heading title="Calls" lead="Individual calls from the last seven days, in every protocol, including refused ones.">
        <Button isBusy={log.isFetching && log.data !== undefined} onClick={log.refetch}>
          Refresh
        </Button>
      </Heading>
      <LogFilterBar
        key={`${filters.request} ${filters.outcome}`}
        filters={filters}
        keys={keys.data?.results ?? []}
        problem={log.problem}
      />
      {!hasFieldProblem && (
        <Loaded query={log} rem={30}>
          {(page) => <Log page={page} filters={filters} />}
        </Loaded>
      )}
    </>
  );
}

function Log({ page, filters }: { readonly page: ListCallsResponse; readonly filters: LogFilters }) {
  const next = page.nextPageToken;
  return (
    <>
      {page.results.length === 0 ? (
        <Nothing filters={filters} hasMore={next !== undefined} />
      ) : (
        <CallRows>
          {page.results.map((call, index) => (
            <LoggedRow key={call.id} call={call} previous={page.results[index - 1]} />
          ))}
        </CallRows>
      )}
      <p class={styles.pages}>
        {filters.page !== "" && <ButtonLink href={logPath({ ...filters, page: "" })}>Newest</ButtonLink>}
        {next !== undefined && <ButtonLink href={logPath({ ...filters, page: next })}>Older</ButtonLink>}
      </p>
      <p class={styles.hint}>
        Calls appear after a second or two. If many calls are made in the same second, only some of them are logged.{" "}
        <a href="/app/usage">Usage</a> counts all of them.
      </p>
      <ParameterSwitch isOn={page.includesParameters} />
    </>
  );
}

const LoggedRow = ({ call, previous }: { readonly call: Call; readonly previous: Call | undefined }) => (
  <>
    <DayLine call={call} previous={previous} />
    {call.leftOut !== undefined && (
      <li class={styles.leftOut}>
        {call.leftOut === 1 ? "1 more call in this second was" : `${formatNumber(call.leftOut)} more calls in this second were`} not
        logged
      </li>
    )}
    <CallRow call={call} />
  </>
);

function Nothing({ filters, hasMore }: { readonly filters: LogFilters; readonly hasMore: boolean }) {
  if (hasMore) {
    return (
      <EmptyState title="No matches so far">
        <p>Older calls have not been searched yet.</p>
      </EmptyState>
    );
  }
  return Object.values(filters).some((text) => text !== "") ? (
    <EmptyState title="No matching calls">
      <p>
        No calls from the last seven days match these filters. <a href="/app/calls">Clear filters</a>
      </p>
    </EmptyState>
  ) : (
    <EmptyState title="No calls yet">
      <p>
        Calls with your keys are listed here, including refused ones. Make one in the <a href="/app/console">console</a>.
      </p>
    </EmptyState>
  );
}
