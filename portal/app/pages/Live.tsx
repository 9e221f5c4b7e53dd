// The account's own calls as they arrive, in all protocols, refused ones too.
import { Fragment } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../components/ui/Button.tsx";
import { CopyBlock } from "../../components/ui/CopyBlock.tsx";
import { EmptyState } from "../../components/ui/EmptyState.tsx";
import { Field, SelectField } from "../../components/ui/Field.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { Skeleton } from "../../components/ui/Skeleton.tsx";
import { SERVICES } from "../../content/services.ts";
import { curlOf } from "../first-call.ts";
import { formatNumber } from "../formats.ts";
import { CallRow } from "../live/CallRow.tsx";
import { CallRows } from "../live/CallRows.tsx";
import { CALLS_MAX, matchesFilter, PROTOCOLS } from "../live/call-list.ts";
import { DayLine } from "../live/DayLine.tsx";
import { useCallFilter } from "../live/use-call-filter.ts";
import type { StreamState } from "../live/use-call-stream.ts";
import { useCalls } from "../live/use-calls.ts";
import styles from "./Live.module.css";

// How many earlier calls, from the log, are shown below the arriving ones.
const EARLIER_CALLS = 50;
const ANNOUNCE_INTERVAL_MS = 5000;

const calls = (count: number): string => `${formatNumber(count)} ${count === 1 ? "call" : "calls"}`;

export default function Live() {
  const { list, change, stream } = useCalls(EARLIER_CALLS);
  const [filter, setFilter] = useCallFilter();
  const shown = list.calls.filter((call) => matchesFilter(call, filter));
  const isPaused = list.waiting !== undefined;
  const waiting = list.waiting?.length ?? 0;
  return (
    <>
      <Heading title="Live" lead="Your calls as they arrive, newest first, in every protocol, including refused ones.">
        <Button kind={isPaused ? "primary" : "secondary"} onClick={() => change({ kind: isPaused ? "resume" : "pause" })}>
          {isPaused ? (waiting === 0 ? "Resume" : `Resume (${calls(waiting)} waiting)`) : "Pause"}
        </Button>
        <Button onClick={() => change({ kind: "clear" })}>Clear</Button>
      </Heading>
      <Connection stream={stream} isPaused={isPaused} />
      <search class={styles.filters}>
        <SelectField
          label="Service"
          name="service"
          value={filter.service}
          options={[["", "All services"], ...SERVICES.map(({ name, title }) => [name, title] as const)]}
          onChange={(service) => setFilter({ service })}
        />
        <SelectField
          label="Protocol"
          name="protocol"
          value={filter.protocol}
          options={[["", "All protocols"], ...Object.entries(PROTOCOLS).map(([name, [, label]]) => [name, label] as const)]}
          onChange={(protocol) => setFilter({ protocol })}
        />
        <Field
          label="Search"
          type="search"
          name="text"
          placeholder="Method, reason, request ID, key"
          value={filter.text}
          onInput={(event) => setFilter({ text: event.currentTarget.value })}
        />
        <label class={styles.refused}>
          <input
            type="checkbox"
            checked={filter.onlyRefused}
            onChange={(event) => setFilter({ onlyRefused: event.currentTarget.checked })}
          />{" "}
          Only refused calls
        </label>
      </search>
      {stream.servers === undefined ? (
        stream.kind === "connecting" && <Skeleton rem={20} />
      ) : list.calls.length === 0 ? (
        <Nothing />
      ) : (
        <>
          <p class={styles.count}>
            {shown.length === list.calls.length
              ? calls(shown.length)
              : `${formatNumber(shown.length)} of ${calls(list.calls.length)}`}
            {list.calls.length === CALLS_MAX && " (only the newest are kept)"}
            {list.leftOut > 0 && `; ${calls(list.leftOut)} skipped, because they arrived too fast`}
          </p>
          {shown.length > 0 && (
            <CallRows>
              {shown.map((call, index) => (
                <Fragment key={call.id}>
                  <DayLine call={call} previous={shown[index - 1]} />
                  <CallRow call={call} />
                </Fragment>
              ))}
            </CallRows>
          )}
          {shown.length === 0 && (
            <p>
              No calls match these filters. <Button onClick={() => setFilter(NO_FILTER)}>Clear filters</Button>
            </p>
          )}
        </>
      )}
      <Announcement count={list.calls.length + waiting} />
    </>
  );
}

const NO_FILTER = { service: "", protocol: "", onlyRefused: false, text: "" };

function Connection({
  stream: { kind, problem, servers },
  isPaused,
}: {
  readonly stream: StreamState;
  readonly isPaused: boolean;
}) {
  const text = { connecting: "Connecting…", live: isPaused ? "Paused" : "Live", lost: "Connection lost, trying again…" }[kind];
  return (
    <>
      <p class={styles.connection} data-state={isPaused && kind === "live" ? "paused" : kind}>
        <span class={styles.dot} aria-hidden="true" />
        {text}
      </p>
      {kind === "lost" && problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      {servers !== undefined && servers > 1 && (
        <Notice tone="plain">
          This shows the calls of one of {formatNumber(servers)} servers. Reload the page to see the calls of another one.
        </Notice>
      )}
    </>
  );
}

const Nothing = () => (
  <EmptyState title="No calls yet">
    <p>
      Calls with your keys appear here within a second, including refused ones. Earlier calls are under{" "}
      <a href="/app/calls">Calls</a>. Try Farkle, with your key in the variable KEY:
    </p>
    <div class={styles.command}>
      <CopyBlock code={curlOf("farkle", "$KEY")} label="the command" language="bash" />
    </div>
    <p>
      No key yet? <a href="/app/keys">Create one</a>, or call from the <a href="/app/console">console</a>.
    </p>
  </EmptyState>
);

// Announces to a screen reader how many calls arrived, no more often than a listener can follow.
function Announcement({ count }: { readonly count: number }) {
  const [announcement, setAnnouncement] = useState("");
  const current = useRef(count);
  current.current = count;
  useEffect(() => {
    let announced = current.current;
    const timer = setInterval(() => {
      const arrived = current.current - announced;
      announced = current.current;
      setAnnouncement(arrived > 0 ? `${calls(arrived)} arrived` : "");
    }, ANNOUNCE_INTERVAL_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <p class="unseen" role="status">
      {announcement}
    </p>
  );
}
