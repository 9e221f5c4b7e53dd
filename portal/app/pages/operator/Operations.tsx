// Where an operator starts: what is pending, what fails, how busy the server is, and whether the services' sources respond.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import {
  type GetServerStateResponse,
  OperatorService,
  TrafficKind,
  UsageBreakdown,
} from "../../../../gen/quintet/operator/v1/operator_pb.js";
import { SERVICE_NAMES } from "../../../../src/catalogue/service-names.ts";
import { useQuery } from "../../../api/use-query.ts";
import { Loaded } from "../../../components/ui/Loaded.tsx";
import { formatCount, formatNumber, formatShare, formatShort, serviceTitle } from "../../formats.ts";
import { type Load, loadOf, type StateAt } from "../../operator/load.ts";
import styles from "../../operator/OperatorPage.module.css";
import { OperatorPage } from "../../operator/OperatorPage.tsx";
import { TrafficChart } from "../../operator/TrafficChart.tsx";
import { trafficOf, trafficSums } from "../../operator/traffic.ts";
import tiles from "../overview/Tiles.module.css";

const { listWaitingSubscriptions, listAccounts, getUsage, getServerState } = OperatorService.method;
const MINUTE_MS = 60_000;
// If at least this share of the calls failed, the figure is highlighted.
const MANY_FAILED = 0.01;
const RATE = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

export default function Operations() {
  return <OperatorPage title="Operations">{() => <Board />}</OperatorPage>;
}

function Board() {
  const waiting = useQuery(listWaitingSubscriptions, { limit: 1 }, { refetchInterval: MINUTE_MS });
  const suspended = useQuery(listAccounts, { onlySuspended: true, limit: 1 }, { refetchInterval: MINUTE_MS });
  const traffic = useQuery(getUsage, { breakdown: UsageBreakdown.HOUR }, { refetchInterval: MINUTE_MS });
  const state = useQuery(getServerState, {}, { refetchInterval: 10_000, staleTime: 0 });
  const states = useRef<readonly StateAt[]>([]);
  if (state.data !== undefined && states.current.at(-1)?.state !== state.data) {
    states.current = [...states.current, { state: state.data, atMs: Date.now() }].slice(-2);
  }
  const [before, last] = states.current.length === 2 ? states.current : [undefined, states.current[0]];
  return (
    <>
      <dl class={tiles.tiles}>
        <Tile name="Plan requests" value={waiting.data?.total} isBad={false}>
          <a href="/app/operator/waiting">{waiting.data?.total === 0 ? "No pending requests" : "Review"}</a>
        </Tile>
        <Tile name="Suspended accounts" value={suspended.data?.total} isBad={false}>
          {suspended.data?.total === 0 ? (
            <a href="/app/operator/accounts">All accounts</a>
          ) : (
            <a href="/app/operator/accounts?suspended=yes">View accounts</a>
          )}
        </Tile>
        <LoadTiles load={last && loadOf(last, before)} />
        <Threads threads={state.data?.threads} />
        <Tile name="Leased but unused" value={state.data?.leasedCalls} isBad={false}>
          Calls lost if this server stopped now
        </Tile>
        <Tile
          name="Missing from the log"
          value={state.data?.callsMissingFromLog}
          isBad={(state.data?.callsMissingFromLog ?? 0n) > 0n}
        >
          Calls that this server could not log; they are counted in usage
        </Tile>
        <Tile
          name="Missing from usage"
          value={state.data?.callsMissingFromUsage}
          isBad={(state.data?.callsMissingFromUsage ?? 0n) > 0n}
        >
          Calls whose counts this server lost; they still count against quotas
          {(state.data?.refusalsMissing ?? 0n) > 0n &&
            `. Also missing: ${formatCount(Number(state.data?.refusalsMissing), "refusal")}`}
        </Tile>
      </dl>
      <Loaded query={traffic} rem={60}>
        {({ hours }) => {
          const nowMs = Date.now();
          const calls = trafficOf(hours, TrafficKind.CALLS, nowMs);
          const sums = trafficSums(calls);
          return (
            <>
              <section class={styles.part} aria-labelledby="calls">
                <h2 id="calls">Calls by all customers</h2>
                <p>
                  {formatCount(sums.calls, "call")}, <Failed {...sums} isOurs />, {formatNumber(sums.refused)} refused because of a
                  key, a plan or a limit. <a href="/app/operator/usage">By service and account</a>
                </p>
                <TrafficChart traffic={calls} hasRefused />
              </section>
              <Sources rows={hours} nowMs={nowMs} />
            </>
          );
        }}
      </Loaded>
      <p class={styles.part}>
        More: <a href="/app/operator/server">server</a>, <a href="/app/operator/incidents">incidents</a>,{" "}
        <a href="/app/operator/audit">audit trail</a>, and the public <a href="/status">status page</a>.
      </p>
    </>
  );
}

// Threads that are missing are being replaced.
const Threads = ({ threads }: { readonly threads: GetServerStateResponse["threads"] }) => (
  <Tile name="Threads" value={threads?.running} isBad={threads !== undefined && threads.running < threads.configured}>
    {threads !== undefined && `${formatNumber(threads.configured)} configured, ${formatNumber(threads.replaced)} replaced`}
  </Tile>
);

const LoadTiles = ({ load }: { readonly load: Load | undefined }) => (
  <>
    <Tile name="Calls per second" value={load?.callsPerSecond} format={RATE.format} isBad={false}>
      This server
    </Tile>
    <Tile name="CPU cores in use" value={load?.cores} format={RATE.format} isBad={false}>
      This server
    </Tile>
  </>
);

function Tile({
  name,
  value,
  format = formatShort,
  isBad,
  children,
}: {
  readonly name: string;
  readonly value: number | bigint | undefined;
  readonly format?: (value: number) => string;
  readonly isBad: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <div class={tiles.tile}>
      <dt>{name}</dt>
      <dd class={isBad ? `${tiles.figure} ${tiles.bad}` : tiles.figure}>{value === undefined ? "…" : format(Number(value))}</dd>
      <dd class={tiles.more}>{children}</dd>
    </div>
  );
}

// Of customers' calls, only those that failed on our side are meant: their overview calls these "ours", and all others "yours".
function Failed({ calls, failed, isOurs = false }: { readonly calls: number; readonly failed: number; readonly isOurs?: boolean }) {
  const share = calls === 0 ? 0 : failed / calls;
  const text = `${formatNumber(failed)} failed${isOurs ? " on our side" : ""}${failed === 0 ? "" : ` (${formatShare(share)})`}`;
  return share >= MANY_FAILED ? <b class={tiles.bad}>{text}</b> : text;
}

// One chart for each source that was called.
function Sources({ rows, nowMs }: { readonly rows: Parameters<typeof trafficOf>[0]; readonly nowMs: number }) {
  const sources = SERVICE_NAMES.map((service) => {
    const traffic = trafficOf(rows, TrafficKind.SOURCE, nowMs, service);
    return { service, traffic, ...trafficSums(traffic) };
  }).filter(({ calls }) => calls > 0);
  return (
    <section class={styles.part} aria-labelledby="sources">
      <h2 id="sources">Requests to data sources</h2>
      {sources.length === 0 ? (
        <p>No requests to data sources in the last 24 hours.</p>
      ) : (
        <div class={styles.charts}>
          {sources.map(({ service, traffic, calls, failed }) => (
            <div key={service}>
              <h3>{serviceTitle(service)}</h3>
              <p>
                {formatCount(calls, "request")}, <Failed calls={calls} failed={failed} />
              </p>
              <TrafficChart traffic={traffic} hasRefused={false} />
            </div>
          ))}
        </div>
      )}
    </section>
  );
}
