// The latest calls of this tab. Each is a link that opens the form with the call's values.
import { type Row, Table } from "../../components/ui/Table.tsx";
import { formatNumber } from "../formats.ts";
import styles from "./Console.module.css";
import { hashOf } from "./form/link.ts";
import { HISTORY_MAX, type HistoryEntry } from "./history.ts";
import { PROTOCOLS } from "./wire/protocol.ts";

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

const COLUMNS = [
  { heading: "Call" },
  { heading: "Protocol" },
  { heading: "Response" },
  { heading: "ms", isFigure: true },
  { heading: "Bytes", isFigure: true },
  { heading: "At" },
];

/** The panel. `onOpen` is called when a link is followed, even if it leads to the page's current address. */
export const HistoryPanel = ({ history, onOpen }: { readonly history: readonly HistoryEntry[]; readonly onOpen: () => void }) =>
  history.length === 0 ? (
    <p class={styles.hint}>No calls in this tab yet. The last {HISTORY_MAX} will be listed here.</p>
  ) : (
    <Table
      label="Calls in this tab, newest first"
      columns={COLUMNS}
      rows={history.map((entry, index) => rowOf(entry, index, onOpen))}
    />
  );

const GIVEN_CHARACTERS_MAX = 80;

// The parameters of a call, which tell it from other calls of the same method.
function givenWords(query: string): string {
  const words = [...new URLSearchParams(query)].map(([name, value]) => `${name}=${value}`).join(" ");
  return words.length > GIVEN_CHARACTERS_MAX ? `${words.slice(0, GIVEN_CHARACTERS_MAX)}…` : words;
}

// Whether a click opens the link in another tab or window.
const isElsewhere = ({ ctrlKey, metaKey, shiftKey }: MouseEvent): boolean => ctrlKey || metaKey || shiftKey;

function rowOf(entry: HistoryEntry, index: number, onOpen: () => void): Row {
  const { slug, query, protocol, isDryRun, outcome, ms, bytes, atMs } = entry;
  return {
    key: `${atMs} ${index}`,
    cells: [
      <>
        <a href={`/app/console/${slug}${query}${hashOf(entry)}`} onClick={(event) => !isElsewhere(event) && onOpen()}>
          {slug}
        </a>
        <small class={styles.given}>{givenWords(query)}</small>
      </>,
      PROTOCOLS.find(({ id }) => id === protocol)?.title ?? protocol,
      outcome === "OK" ? (
        isDryRun ? (
          "checked"
        ) : (
          outcome
        )
      ) : (
        <a key="reason" href={/^[A-Z_]+$/.test(outcome) ? `/errors/${outcome}` : "/errors"}>
          {outcome}
        </a>
      ),
      formatNumber(Math.round(ms)),
      formatNumber(bytes),
      TIME.format(atMs),
    ],
  };
}
