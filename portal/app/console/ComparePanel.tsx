// The same call in four protocols side by side: whether the responses agree, and how many bytes each takes. The sizes for gRPC are
// computed from gRPC-Web, which has the same envelopes.
import type { JsonObject, Registry } from "@bufbuild/protobuf";
import { useEffect, useRef, useState } from "preact/hooks";
import { pause } from "../../api/pause.ts";
import { Button } from "../../components/ui/Button.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { type Row, Table } from "../../components/ui/Table.tsx";
import { formatNumber } from "../formats.ts";
import styles from "./Console.module.css";
import type { CallState } from "./call-state.ts";
import { type Comparison, compare, isTooFast, pauseMs, protocolsToSend } from "./compare.ts";
import { useCall } from "./use-call.ts";
import { type RequestPurpose, requestOf } from "./wire/request.ts";
import type { Size } from "./wire/sizes.ts";

const COLUMNS = [
  { heading: "Protocol" },
  { heading: "Outcome" },
  { heading: "ms", isFigure: true },
  { heading: "Request", isFigure: true },
  { heading: "Response", isFigure: true },
  { heading: "Total", isFigure: true },
];

interface ComparePanelProps extends RequestPurpose {
  readonly registry: Registry;
  readonly input: JsonObject;
  /** Called for each call that was made. */
  readonly onCall: (state: CallState) => void;
}

export function ComparePanel(props: ComparePanelProps) {
  const { method, isDryRun, onCall } = props;
  const { send, keyProblem } = useCall();
  const [isRunning, setRunning] = useState(false);
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const [rows, setRows] = useState<readonly Comparison[]>();
  if (method.isStream) {
    return (
      <p class={styles.hint}>
        A stream does not end, so its size cannot be compared. Start it in each protocol and look at its messages.
      </p>
    );
  }
  const start = async (): Promise<void> => {
    setRunning(true);
    await sendAll();
    setRunning(false);
  };
  // As fast as the plan's rate limit allows.
  const sendAll = async (): Promise<void> => {
    const { signal } = leaving.current;
    const created: Comparison[] = [];
    setRows(undefined);
    let waitMs = 0;
    for (const protocol of protocolsToSend(method)) {
      const built = requestOf(props, props.input, protocol.id);
      let state: CallState | undefined;
      if ("request" in built) {
        // Another program may use up what the last response said was left, so a refused call is sent once more.
        for (let attempt = 1; attempt === 1 || (attempt === 2 && state !== undefined && isTooFast(state)); attempt += 1) {
          await pause(waitMs, signal);
          state = signal.aborted ? undefined : await send({ ...props, protocol: protocol.id, request: built.request });
          if (state === undefined) {
            return;
          }
          waitMs = pauseMs(state);
        }
      }
      if (state !== undefined) {
        onCall(state);
      }
      created.push({ protocol, state, faults: "faults" in built ? built.faults : [] });
    }
    const grpc = requestOf(props, props.input, "grpc");
    setRows(compare(method, created, "request" in grpc ? grpc.request : undefined));
  };
  const unanswered = rows?.filter(({ state, isSame }) => state !== undefined && isSame === undefined) ?? [];
  const differing = rows?.filter(({ isSame }) => isSame === false).map(({ protocol }) => protocol.title) ?? [];
  return (
    <>
      <p>
        <Button isBusy={isRunning} onClick={() => void start()}>
          Send in all protocols
        </Button>{" "}
        <span class={styles.hint}>
          This makes {protocolsToSend(method).length}{" "}
          {isDryRun ? "dry runs, which do not count against this month's quota" : "calls, which count against this month's quota"}.
        </span>
      </p>
      {keyProblem !== undefined && <Notice tone="bad">{keyProblem.message}</Notice>}
      {rows !== undefined && (
        <>
          <Notice tone={differing.length + unanswered.length === 0 ? "good" : "plain"}>
            {differing.length === 0
              ? unanswered.length === 0
                ? "Every protocol gave the same response, apart from the time at which its data was fetched."
                : `Not compared, because the call was refused or not answered in full: ${unanswered.map(({ protocol }) => protocol.title).join("; ")}.`
              : `Different from REST's response: ${differing.join("; ")}. The data may have changed between the calls.`}
          </Notice>
          <Table label="The call in each protocol" columns={COLUMNS} rows={rows.map(rowOf)} />
          <p class={styles.hint}>
            Bytes of headers + body. Only headers that a page can see are counted, at their size in HTTP/1.1. The sizes for gRPC are
            computed, because browsers cannot send gRPC. “Snippets” has commands that send it.
          </p>
        </>
      )}
    </>
  );
}

const sizeText = (size: Size | undefined): string =>
  size === undefined ? "–" : `${formatNumber(size.head)} + ${formatNumber(size.body)}`;

function rowOf({ protocol, outcome = "–", ms, request, response }: Comparison): Row {
  const whole = ({ head, body }: Size): number => head + body;
  return {
    key: protocol.id,
    cells: [
      protocol.title,
      outcome,
      ms === undefined ? "–" : formatNumber(Math.round(ms)),
      sizeText(request),
      sizeText(response),
      request === undefined || response === undefined ? "–" : formatNumber(whole(request) + whole(response)),
    ],
  };
}
