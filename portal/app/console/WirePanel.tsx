// A call as it went over the wire: the headers, as far as a browser shows them to a page, and the bodies byte by byte.
import { CopyBlock } from "../../components/ui/CopyBlock.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { formatNumber } from "../formats.ts";
import { BodyBytes } from "./BodyBytes.tsx";
import styles from "./Console.module.css";
import type { CallState } from "./call-state.ts";
import type { BuiltRequest } from "./wire/request.ts";
import { requestHead, requestSize, responseHead, responseSize } from "./wire/sizes.ts";

/** Replaces the key wherever a request is shown. */
const SHOWN_KEY = "…";

const EMPTY = new Uint8Array();

/** The panel. Before the first call in the chosen protocol, it shows what would be sent: `built`. */
export function WirePanel({ call, built }: { readonly call: CallState | undefined; readonly built: BuiltRequest }) {
  const request = call?.request ?? ("request" in built ? built.request : undefined);
  if (request === undefined) {
    const faults = "faults" in built ? built.faults : [];
    return (
      <Notice tone="plain">
        This protocol cannot send the form's values: {faults.map(({ field, description }) => `${field} ${description}`).join("; ")}.
      </Notice>
    );
  }
  const { head, body = EMPTY, bodyBytes = 0 } = call ?? {};
  const sent = requestSize(request);
  const received = head && responseSize(head, bodyBytes);
  return (
    <>
      <h2 class={styles.part}>
        Request <small>{sizeText(sent.head, sent.body)}</small>
      </h2>
      <CopyBlock code={requestHead(request, SHOWN_KEY)} label="the request's headers" language="http" />
      <BodyBytes
        label="Request"
        mediaType={request.headers.find(([name]) => name === "content-type")?.[1] ?? ""}
        body={request.body ?? EMPTY}
      />
      {head !== undefined && received !== undefined && (
        <>
          <h2 class={styles.part}>
            Response <small>{sizeText(received.head, received.body)}</small>
          </h2>
          <CopyBlock code={responseHead(head)} label="the response's headers" language="http" />
          {received.body !== bodyBytes && (
            <p class={styles.hint}>
              The body was compressed with {head.headers.get("content-encoding")} to {formatNumber(received.body)} bytes. Below are
              its {formatNumber(bodyBytes)} bytes after decompression.
            </p>
          )}
          <BodyBytes label="Response" mediaType={head.headers.get("content-type") ?? ""} body={body} />
        </>
      )}
      <p class={styles.hint}>
        The key is hidden. Headers that the browser adds are not shown, nor is HTTP/2's header compression, because a page cannot
        see them.
      </p>
    </>
  );
}

const sizeText = (head: number, body: number): string => `headers ${formatNumber(head)} bytes, body ${formatNumber(body)} bytes`;
