// The state of the server that responds, and of its dependencies, read every five seconds.
import type { ComponentChildren } from "preact";
import { DatabaseKind, OperatorService } from "../../../../gen/quintet/operator/v1/operator_pb.js";
import { useQuery } from "../../../api/use-query.ts";
import { Badge } from "../../../components/ui/Badge.tsx";
import { Loaded } from "../../../components/ui/Loaded.tsx";
import { Table } from "../../../components/ui/Table.tsx";
import { Distance } from "../../../components/ui/Time.tsx";
import { formatNumber, serviceTitle } from "../../formats.ts";
import styles from "../../operator/OperatorPage.module.css";
import { OperatorPage } from "../../operator/OperatorPage.tsx";

const FACT_COLUMNS = [{ heading: "Property" }, { heading: "Value" }];
const NODE_COLUMNS = [{ heading: "Server" }, { heading: "State" }, { heading: "Unconfirmed changes", isFigure: true }];
const SOURCE_COLUMNS = [
  { heading: "Service" },
  { heading: "Succeeded", isFigure: true },
  { heading: "Failed", isFigure: true },
  { heading: "Throttled", isFigure: true },
  { heading: "Last success" },
  { heading: "Last failure" },
  { heading: "From cache", isFigure: true },
  { heading: "Mirrors" },
];

export default function Server() {
  return <OperatorPage title="Server">{() => <State />}</OperatorPage>;
}

const SHARE = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 0 });

const shareOf = (part: number, all: number): string => (all === 0 ? "–" : SHARE.format(part / all));

const Store = ({ isUp, children }: { readonly isUp: boolean; readonly children: ComponentChildren }) => (
  <>
    <Badge tone={isUp ? "good" : "off"} label={isUp ? "Reachable" : "Unreachable"} /> {children}
  </>
);

function State() {
  const state = useQuery(OperatorService.method.getServerState, {}, { refetchInterval: 5000, staleTime: 0 });
  return (
    <Loaded query={state} rem={40}>
      {({ version, startedAt, memoryBytes, threads, database, redis, nodes, upstreams }) => (
        <>
          <Table
            label="This server"
            columns={FACT_COLUMNS}
            rows={[
              ["Version", version],
              ["Started", startedAt && <Distance key="started" at={startedAt} />],
              ["Memory", `${formatNumber(Math.round(Number(memoryBytes) / 2 ** 20))} MiB`],
              ["Threads", `${threads?.running} of ${threads?.configured}, ${formatNumber(threads?.replaced ?? 0)} replaced`],
              [
                database?.kind === DatabaseKind.POSTGRESQL ? "PostgreSQL" : "Embedded database",
                database && (
                  <Store isUp={database.up}>
                    {formatNumber(database.asked)} queries since startup, {formatNumber(database.slow)} slow,{" "}
                    {formatNumber(database.failed)} failed
                  </Store>
                ),
              ],
              [
                "Redis",
                redis === undefined ? (
                  "Not used"
                ) : (
                  <Store isUp={redis.threadsUp === redis.threads}>
                    {formatNumber(redis.threadsUp)} of {formatNumber(redis.threads)} threads connected
                  </Store>
                ),
              ],
            ].map(([what, label]) => ({ key: String(what), cells: [what, label] }))}
          />
          <section class={styles.part}>
            <h2>Data sources since startup</h2>
            <Table
              label="Data sources"
              stacks
              columns={SOURCE_COLUMNS}
              rows={upstreams.map((upstream) => ({
                key: upstream.service,
                cells: [
                  serviceTitle(upstream.service),
                  formatNumber(upstream.answered),
                  formatNumber(upstream.failed),
                  formatNumber(upstream.heldBack),
                  upstream.lastAnsweredAt ? <Distance key="answered" at={upstream.lastAnsweredAt} /> : "Never",
                  upstream.lastFailedAt ? <Distance key="failed" at={upstream.lastFailedAt} /> : "Never",
                  shareOf(Number(upstream.cacheHits), Number(upstream.cacheHits + upstream.cacheMisses)),
                  upstream.mirrors === undefined
                    ? "None"
                    : `${formatNumber(upstream.mirrors.healthy)} in use, ${formatNumber(upstream.mirrors.setAside)} out of rotation`,
                ],
              }))}
            />
          </section>
          {nodes.length > 0 && (
            <section class={styles.part}>
              <h2>Servers that share the database</h2>
              <Table
                label="Servers"
                stacks
                columns={NODE_COLUMNS}
                rows={nodes.map(({ id, self, alive, changesBehind }) => ({
                  key: id,
                  cells: [
                    <span key="id" class={styles.break}>
                      {id}
                      {self && " (this one)"}
                    </span>,
                    <Badge key="state" tone={alive ? "good" : "off"} label={alive ? "Serving" : "Offline"} />,
                    formatNumber(changesBehind),
                  ],
                }))}
              />
            </section>
          )}
        </>
      )}
    </Loaded>
  );
}
