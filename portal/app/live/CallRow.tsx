// One call in the list: a line with the main facts, and all facts when the line is opened.
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type ComponentChildren, Fragment } from "preact";
import type { Call } from "../../../gen/quintet/account/v1/usage_pb.js";
import { Badge } from "../../components/ui/Badge.tsx";
import { CopyButton } from "../../components/ui/CopyButton.tsx";
import { formatNumber, serviceTitle } from "../formats.ts";
import styles from "./CallRow.module.css";
import { protocolName } from "./call-list.ts";

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
const MILLISECONDS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

const methodName = ({ method }: Call): string => method.slice(method.lastIndexOf("/") + 1);

// `quintet.tokenprice.v1.TokenPriceService/GetPrices` of the service `token-price` → `/app/console/token-price/get-prices`.
const consolePath = (call: Call): string =>
  `/app/console/${call.service}/${methodName(call)
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "-")
    .toLowerCase()}`;

const bytesText = (count: bigint): string => `${formatNumber(count)} ${count === 1n ? "byte" : "bytes"}`;

export function CallRow({ call }: { readonly call: Call }) {
  const started = call.startedAt && timestampDate(call.startedAt);
  return (
    <li class={styles.row}>
      <details>
        <summary class={styles.line}>
          <time class={styles.time} dateTime={started?.toISOString()}>
            {started && TIME.format(started)}
          </time>
          <span class={styles.method}>
            {call.service}/<b>{methodName(call)}</b>
          </span>
          <span class={styles.protocol}>{protocolName(call.protocol)}</span>
          <span class={styles.outcome}>
            <Outcome call={call} />
          </span>
          <span class={styles.wide}>{call.open ? "" : bytesText(call.responseBytes)}</span>
          <code class={styles.wide}>…{call.keyLastFour}</code>
          <span class={styles.duration}>{call.open ? "…" : `${MILLISECONDS.format(call.durationMs)} ms`}</span>
        </summary>
        <Detail call={call} started={started} />
      </details>
    </li>
  );
}

function Outcome({ call }: { readonly call: Call }) {
  if (call.open) {
    return <Badge tone="waits" label="open" />;
  }
  if (call.outcome === "OK") {
    return call.dryRun ? <Badge tone="good" label="dry run" /> : <span class={styles.ok}>OK</span>;
  }
  return (
    <span class={styles.failed}>
      {call.outcome.split("_").map((word, index) => (
        <Fragment key={word}>
          {index > 0 && (
            <>
              _<wbr />
            </>
          )}
          {word}
        </Fragment>
      ))}
    </span>
  );
}

function Detail({ call, started }: { readonly call: Call; readonly started: Date | undefined }) {
  return (
    <div class={styles.detail}>
      <dl>
        <Fact name="Started">{started && EXACT.format(started)}</Fact>
        <Fact name="Service">{serviceTitle(call.service)}</Fact>
        <Fact name="Method">
          <code>{call.method}</code>
        </Fact>
        <Fact name="Protocol">{protocolName(call.protocol)}</Fact>
        <Fact name="Outcome">{outcomeText(call)}</Fact>
        {call.outcome !== "" && call.outcome !== "OK" && (
          <Fact name="Reason">
            <a href={`/errors/${call.outcome}`}>{call.outcome}</a>
          </Fact>
        )}
        {call.httpStatus !== undefined && <Fact name="HTTP status">{call.httpStatus}</Fact>}
        {call.code !== "" && (
          <Fact name="RPC code">
            <code>{call.code}</code>
          </Fact>
        )}
        {!call.open && <Fact name="Duration">{`${MILLISECONDS.format(call.durationMs)} ms`}</Fact>}
        <Fact name="Received">{bytesText(call.requestBytes)}</Fact>
        <Fact name="Sent">{bytesText(call.responseBytes)}</Fact>
        <Fact name="Key">
          <code>…{call.keyLastFour}</code>
        </Fact>
        <Fact name="Request ID">
          <code>{call.requestId}</code>
        </Fact>
      </dl>
      {call.parameters !== undefined && (
        <div class={styles.parameters}>
          <p>Parameters</p>
          <pre>{call.parameters}</pre>
        </div>
      )}
      <p class={styles.actions}>
        <a href={consolePath(call)}>Open in console</a>
        <CopyButton text={call.requestId} label="the request ID" buttonText="Copy request ID" />
      </p>
    </div>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

function outcomeText({ open, refused, dryRun, outcome }: Call): string {
  if (open) {
    return "The stream is open";
  }
  const what = dryRun ? "dry run" : "call";
  if (refused) {
    return `The ${what} was refused, and cost nothing`;
  }
  return outcome === "OK" ? `The ${what} succeeded` : `The ${what} failed`;
}
