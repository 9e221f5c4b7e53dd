// The latest calls of this tab. Each is a link that opens the form with the call's values.
import { formatNumber } from "../formats.ts";
import styles from "./Console.module.css";
import { hashOf } from "./form/link.ts";
import { HISTORY_MAX, type HistoryEntry } from "./history.ts";
import { PROTOCOLS } from "./wire/protocol.ts";

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** The panel. `onOpen` is called when a link is followed, even if it leads to the URL of the page that is open. */
export const HistoryPanel = ({ history, onOpen }: { readonly history: readonly HistoryEntry[]; readonly onOpen: () => void }) =>
  history.length === 0 ? (
    <p class={styles.hint}>No calls in this tab yet. The last {HISTORY_MAX} calls will be listed here.</p>
  ) : (
    <ol class={styles.history} aria-label="Calls in this tab, newest first">
      {history.map((entry, index) => (
        <Entry key={`${entry.atMs} ${index}`} entry={entry} onOpen={onOpen} />
      ))}
    </ol>
  );

const GIVEN_CHARACTERS_MAX = 200;

// The parameters of a call, which distinguish it from other calls of the same method. The page truncates them to one line.
function parametersText(query: string): string {
  const text = [...new URLSearchParams(query)].map(([name, value]) => `${name}=${value}`).join(" ");
  return text.length > GIVEN_CHARACTERS_MAX ? `${text.slice(0, GIVEN_CHARACTERS_MAX)}…` : text;
}

// Whether a click opens the link in another tab or window.
const opensNewTab = ({ ctrlKey, metaKey, shiftKey }: MouseEvent): boolean => ctrlKey || metaKey || shiftKey;

function Entry({ entry, onOpen }: { readonly entry: HistoryEntry; readonly onOpen: () => void }) {
  const { slug, query, protocol, isDryRun, outcome, ms, bytes, atMs } = entry;
  const given = parametersText(query);
  return (
    <li>
      <a href={`/app/console/${slug}${query}${hashOf(entry)}`} onClick={(event) => !opensNewTab(event) && onOpen()}>
        {slug}
      </a>
      {given !== "" && (
        <span class={styles.given} title={given}>
          {given}
        </span>
      )}
      <p>
        <span>{PROTOCOLS.find(({ id }) => id === protocol)?.title ?? protocol}</span>
        {outcome === "OK" ? (
          <span>{isDryRun ? "checked" : outcome}</span>
        ) : (
          <span>
            <a href={/^[A-Z_]+$/.test(outcome) ? `/errors/${outcome}` : "/errors"}>{outcome}</a>
          </span>
        )}
        <span>{formatNumber(Math.round(ms))} ms</span>
        <span>{formatNumber(bytes)} bytes</span>
        <span>{TIME.format(atMs)}</span>
      </p>
    </li>
  );
}
