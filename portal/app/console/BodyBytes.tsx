// A body as it went over the wire: text as text, everything else as a hex dump. What the bytes mean is on the tab with the response.
import { Button } from "../../components/ui/Button.tsx";
import { formatNumber } from "../formats.ts";
import styles from "./Console.module.css";
import { usePortion } from "./text-parts.ts";
import { textOf } from "./wire/bytes.ts";

const INITIAL_BYTES = 2048;
const BYTES_MAX = 16 * INITIAL_BYTES;
const BYTES_PER_LINE = 16;

/** Shows a body of this media type. `label` says which body it is: `Request`. */
export function BodyBytes({
  label,
  mediaType,
  body,
}: {
  readonly label: string;
  readonly mediaType: string;
  readonly body: Uint8Array;
}) {
  const { shown, more } = usePortion(body.length, INITIAL_BYTES, BYTES_MAX);
  if (body.length === 0) {
    return <p class={styles.hint}>No body.</p>;
  }
  const bytes = body.subarray(0, shown);
  const isText = /json|-text/.test(mediaType) && !mediaType.includes("connect");
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard. */}
      <section class={styles.response} tabIndex={0} aria-label={`${label}, bytes`}>
        <pre>{isText ? textOf(bytes) : hexDump(bytes)}</pre>
      </section>
      {shown < body.length && (
        <p class={styles.actions}>
          <span>
            The first {formatNumber(shown)} of {formatNumber(body.length)} bytes are shown
            {more === undefined && ", the most that this page can show"}.
          </span>
          {more !== undefined && <Button onClick={more}>Show more</Button>}
        </p>
      )}
    </>
  );
}

// As `hexdump -C` writes it: the position, the bytes, and those of them that are letters.
function hexDump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_PER_LINE) {
    const line = [...bytes.subarray(at, at + BYTES_PER_LINE)];
    const hex = line.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const letters = line.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${at.toString(16).padStart(4, "0")}  ${hex.padEnd(3 * BYTES_PER_LINE)} ${letters}`);
  }
  return lines.join("\n");
}
