// The latest calls from the log, and new ones as they arrive. They come last on the page, so that they do not move anything else.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { useEffect, useReducer } from "preact/hooks";
import type { Call } from "../../../../gen/quintet/account/v1/usage_pb.js";
import { formatLatency } from "../../formats.ts";
import { protocolName } from "../../live/call-list.ts";
import type { StreamState } from "../../live/use-call-stream.ts";
import { useCalls } from "../../live/use-calls.ts";
import styles from "./LastCalls.module.css";
import partStyles from "./Part.module.css";

const SHOWN_MAX = 8;
const AGE_INTERVAL_MS = 10_000;
const AGO = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "narrow" });
const MS_PER_SECOND = 1000;
const SECONDS_PER_MINUTE = 60;

/** `12s ago`, `3m ago`. */
function ageText(atMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - atMs) / MS_PER_SECOND));
  return seconds < SECONDS_PER_MINUTE
    ? AGO.format(-seconds, "second")
    : AGO.format(-Math.floor(seconds / SECONDS_PER_MINUTE), "minute");
}

export function LastCalls() {
  const { list, stream } = useCalls(SHOWN_MAX);
  const [, age] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => age(undefined), AGE_INTERVAL_MS);
    return () => clearInterval(timer);
  }, []);
  const shown = list.calls.slice(0, SHOWN_MAX);
  return (
    <section class={partStyles.part} aria-labelledby="last-calls">
      <div class={partStyles.head}>
        <h2 id="last-calls">
          Recent calls <span class={styles.state} data-state={stream.kind} aria-hidden="true" />
        </h2>
        <a href="/app/live">Open Live</a>
      </div>
      <div class={styles.room}>
        {shown.length === 0 ? (
          <p class={styles.none}>{noneText(stream)}</p>
        ) : (
          <ul class={styles.calls}>
            {shown.map((call) => (
              <Row key={call.id} call={call} />
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

function noneText({ kind, problem }: StreamState): string {
  switch (kind) {
    case "connecting":
      return "Connecting…";
    case "live":
      return "Waiting for calls. They appear here within a second.";
    case "lost":
      return problem?.message ?? "Connection lost, trying again…";
  }
}

const Row = ({ call }: { readonly call: Call }) => (
  <li>
    <span class={styles.soft}>{call.startedAt && ageText(timestampMs(call.startedAt), Date.now())}</span>
    <span class={styles.method}>
      {call.service}/<b>{call.method.slice(call.method.lastIndexOf("/") + 1)}</b>
    </span>
    <span class={styles.soft}>{protocolName(call.protocol)}</span>
    <span class={call.outcome === "OK" || call.open ? styles.ok : styles.failed}>{call.open ? "open" : call.outcome}</span>
    <span class={styles.duration}>{call.open ? "…" : formatLatency(call.durationMs)}</span>
  </li>
);
