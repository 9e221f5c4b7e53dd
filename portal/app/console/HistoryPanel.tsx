// The calls that were made lately in this tab, each a link that opens the form with its values.
import { type Row, Table } from "../../components/ui/Table.tsx";
import { formatNumber } from "../formats.ts";
import styles from "./Console.module.css";
import { HISTORY_MAX, type HistoryEntry } from "./history.ts";
import { PROTOCOLS } from "./wire/protocol.ts";

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

const COLUMNS = [
  { heading: "Call" },
  { heading: "Protocol" },
  { heading: "Answer" },
  { heading: "ms", isFigure: true },
  { heading: "Bytes", isFigure: true },
  { heading: "At" },
];

/** The panel. */
export const HistoryPanel = ({ history }: { readonly history: readonly HistoryEntry[] }) =>
  history.length === 0 ? (
    <p class={styles.hint}>Nothing has been called in this tab yet. The latest {HISTORY_MAX} calls will be listed here.</p>
  ) : (
    <Table label="Calls of this tab, newest first" columns={COLUMNS} rows={history.map(rowOf)} />
  );

function rowOf({ slug, query, protocol, outcome, ms, bytes, atMs }: HistoryEntry, index: number): Row {
  return {
    key: `${atMs} ${index}`,
    cells: [
      <a key="link" href={`/app/console/${slug}${query}#${protocol}`}>
        {slug}
      </a>,
      PROTOCOLS.find(({ id }) => id === protocol)?.title ?? protocol,
      outcome === "OK" ? (
        outcome
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
