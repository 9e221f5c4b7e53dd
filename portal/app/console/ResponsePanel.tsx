// The result of a call: how it ended, how long it took, and what the response says.
import { useMemo } from "preact/hooks";
import { faultOf, needsPlan } from "../../api/reason.ts";
import { Code } from "../../components/code/Code.tsx";
import { Button } from "../../components/ui/Button.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { useLoaded } from "../../components/ui/use-loaded.ts";
import { formatNumber } from "../formats.ts";
import { SubscribeButton } from "../SubscribeButton.tsx";
import styles from "./Console.module.css";
import { type CallState, MESSAGES_KEPT } from "./call-state.ts";
import { usePortion } from "./text-parts.ts";
import { textOf } from "./wire/bytes.ts";
import { isAdmittedDryRun } from "./wire/dry-run.ts";
import { titleOfProtocol } from "./wire/protocol.ts";

const INITIAL_CHARACTERS = 20_000;
const CHARACTERS_MAX = 16 * INITIAL_CHARACTERS;

const STAGES: Readonly<Record<CallState["stage"], string>> = {
  running: "In progress",
  done: "Done",
  stopped: "Stopped",
  cut: "Cut off: only the first 4 MiB of the response were read",
  lost: "No complete response",
};

export function ResponsePanel({
  call,
  isStream,
  service,
}: {
  readonly call: CallState;
  readonly isStream: boolean;
  /** The name of the service that was called. */
  readonly service: string;
}) {
  const { protocol, stage, ms, head, bodyBytes, messageCount, failure } = call;
  return (
    <>
      <p class={styles.outcome}>
        <b>{stage === "done" && failure !== undefined ? "Failed" : STAGES[stage]}</b>
        {head !== undefined && <span>HTTP {head.status}</span>}
        <span>{titleOfProtocol(protocol)}</span>
        <span>{formatNumber(Math.round(ms))} ms</span>
        <span>{formatNumber(bodyBytes)} bytes</span>
        {isStream && (
          <span>
            {formatNumber(messageCount)} {messageCount === 1 ? "message" : "messages"}
          </span>
        )}
      </p>
      {stage === "done" && head !== undefined && isAdmittedDryRun(head) && (
        <Notice tone="good">This call was not made. It would be admitted, as far as a dry run checks its input.</Notice>
      )}
      {failure !== undefined && (
        <Notice tone="bad">
          <p>{failure.message}</p>
          <p>
            {failure.reason === "" ? failure.code : <a href={`/errors/${failure.reason}`}>{failure.reason}</a>}
            {head?.headers.has("retry-after") === true && <> · try again in {head.headers.get("retry-after")} s</>}
            {needsPlan(failure.reason) && (
              <>
                {" "}
                · <a href="/app/subscriptions">Your subscriptions</a>
              </>
            )}
          </p>
          {faultOf(failure.reason) === "subscription" && <SubscribeButton service={service} />}
          {failure.details.length > 0 && (
            <details class={styles.details}>
              <summary>Details</summary>
              <pre>{failure.details.map(({ type, json }) => `${type} ${JSON.stringify(json, undefined, 2)}`).join("\n")}</pre>
            </details>
          )}
        </Notice>
      )}
      {stage === "lost" && failure === undefined && (
        <Notice tone="bad">
          The connection was lost before the response was complete, or the server cannot be reached. Send the call again.
        </Notice>
      )}
      {isStream && messageCount > 0 ? <Messages call={call} /> : bodyBytes > 0 && <Response call={call} />}
    </>
  );
}

/** What is shown before the first call: how the example was answered when it was recorded. */
export function RecordedResponse({ slug, isRunning }: { readonly slug: string; readonly isRunning: boolean }) {
  const recorded = useLoaded(loadRecorded, true)?.[slug];
  return (
    <>
      <p class={styles.hint}>
        {isRunning ? "In progress" : "Send the call to see its response here."}
        {recorded !== undefined && !isRunning && " On the free plan, the example returned:"}
      </p>
      {recorded !== undefined && !isRunning && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard.
        <section class={styles.response} tabIndex={0} aria-label="The recorded response">
          <pre>
            <Code code={JSON.stringify(recorded, undefined, 2)} language="json" />
          </pre>
        </section>
      )}
    </>
  );
}

async function loadRecorded(): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch("/console-responses.json", { credentials: "omit" });
  return response.ok ? ((await response.json()) as Readonly<Record<string, unknown>>) : {};
}

function Messages({ call: { messages, messageCount } }: { readonly call: CallState }) {
  return (
    <>
      {messageCount > MESSAGES_KEPT && <p class={styles.hint}>Only the last {MESSAGES_KEPT} messages are kept.</p>}
      <ol class={styles.messages} aria-label="Messages, newest first">
        {messages
          .map((json, index) => ({ json, number: messageCount - messages.length + index + 1 }))
          .reverse()
          .map(({ json, number }) => (
            <li key={number}>
              <details open={number === messageCount}>
                <summary>
                  Message {formatNumber(number)}
                  {Object.keys(json).length === 0 && " (empty, keeps the connection open)"}
                </summary>
                <pre>
                  <Code code={JSON.stringify(json, undefined, 2)} language="json" />
                </pre>
              </details>
            </li>
          ))}
      </ol>
    </>
  );
}

// JSON as it arrived, but indented; for protobuf, the equivalent JSON.
function responseText({ body, messages, stage, head }: CallState): string {
  const isJson = head?.headers.get("content-type")?.startsWith("application/json") === true;
  if (!isJson) {
    return messages.map((json) => JSON.stringify(json, undefined, 2)).join("\n");
  }
  const text = textOf(body);
  try {
    return stage === "done" ? JSON.stringify(JSON.parse(text), undefined, 2) : text;
  } catch {
    return text;
  }
}

function Response({ call }: { readonly call: CallState }) {
  const text = useMemo(() => responseText(call), [call]);
  const { shown, more } = usePortion(text.length, INITIAL_CHARACTERS, CHARACTERS_MAX);
  if (text === "") {
    return null;
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard. */}
      <section class={styles.response} tabIndex={0} aria-label="The response">
        <pre>
          <Code code={text.slice(0, shown)} language="json" />
        </pre>
      </section>
      <p class={styles.actions}>
        {shown < text.length && (
          <span>
            The first {formatNumber(shown)} of {formatNumber(text.length)} characters are shown
            {more === undefined && ", the most that this page can show; the file has all of them"}.
          </span>
        )}
        {more !== undefined && <Button onClick={more}>Show more</Button>}
        <Button onClick={() => save(text)}>Save as file</Button>
      </p>
    </>
  );
}

function save(text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = "response.json";
  link.click();
  URL.revokeObjectURL(link.href);
}
