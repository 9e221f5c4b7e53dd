// Bytes next to the values that they encode. Pointing at one side, or moving through it with the arrow keys, marks the same place on the
// other, with an outline and in words.

import type { DescMessage, Registry } from "@bufbuild/protobuf";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../../components/ui/Button.tsx";
import { formatNumber } from "../formats.ts";
import styles from "./BytesAndTree.module.css";
import { usePortion } from "./text-parts.ts";
import { bodyTree } from "./wire/body-tree.ts";
import { textOf } from "./wire/bytes.ts";
import { nodeBudget } from "./wire/node.ts";
import { rowsOf, type Segment, type TreeRow } from "./wire/rows.ts";

const INITIAL_NODES = 250;
// Each value adds several elements to the page.
const NODES_MAX = 16 * INITIAL_NODES;
const BYTES_PER_NODE = 8;

/** Shows a body of this media type, whose messages are of type `desc`. `label` says which body it is: `Request`. */
export function BytesAndTree({
  label,
  mediaType,
  body,
  desc,
  registry,
}: {
  readonly label: string;
  readonly mediaType: string;
  readonly body: Uint8Array;
  readonly desc: DescMessage;
  readonly registry: Registry;
}) {
  const [nodesMax, setNodesMax] = useState(INITIAL_NODES);
  const { bytes, rows, segments, isCut } = useMemo(() => {
    const budget = nodeBudget(nodesMax);
    const tree = bodyTree(mediaType, body, { desc, registry, budget });
    return { bytes: tree.bytes, isCut: budget.isCut, ...rowsOf(tree.nodes, tree.bytes.length) };
  }, [mediaType, body, desc, registry, nodesMax]);
  const portion = usePortion(bytes.length, INITIAL_NODES * BYTES_PER_NODE, NODES_MAX * BYTES_PER_NODE);
  const shownSegments = useMemo(() => segments.filter(({ start }) => start < portion.shown), [segments, portion.shown]);
  const [active, setActive] = useState(-1);
  // The bytes under the pointer, if no row contains them.
  const [undecoded, setUndecoded] = useState<Segment>();
  const activate = (row: number): void => {
    setActive(row);
    setUndecoded(undefined);
  };
  const id = useId();
  const isText = mediaType.includes("json") && !mediaType.includes("connect");
  const row = rows[active];
  if (bytes.length === 0) {
    return <p class={styles.none}>No body.</p>;
  }
  const more = (): void => {
    setNodesMax(nodesMax * 4);
    portion.more?.();
  };
  return (
    <>
      {mediaType.startsWith("application/grpc-web-text") && (
        <p class={styles.none}>
          {formatNumber(body.length)} characters of base64 on the wire encode these {formatNumber(bytes.length)} bytes.
        </p>
      )}
      <div class={styles.sides}>
        <Bytes
          label={`${label}, bytes`}
          id={id}
          isText={isText}
          bytes={bytes}
          segments={shownSegments}
          active={active}
          range={row?.node}
          onActive={activate}
          onOtherBytes={(segment) => {
            setActive(rowAround(rows, segment));
            setUndecoded(segment);
          }}
        />
        <Tree label={`${label}, decoded`} id={id} rows={rows} active={active} onActive={activate} />
      </div>
      {!isText && (
        <p class={styles.none}>
          Colours: <span class={styles.flag}>flag</span>, <span class={styles.length}>length</span>,{" "}
          <span class={styles.tag}>tag</span>, <span class={styles.value}>value</span>.
        </p>
      )}
      <p class={styles.status} id={`${id}-status`} aria-live="polite">
        {statusText(row, undecoded)}
      </p>
      {(isCut || portion.shown < bytes.length) && (
        <p class={styles.cut}>
          The first{" "}
          {isCut ? `${formatNumber(rows.length)} values` : `${formatNumber(portion.shown)} of ${formatNumber(bytes.length)} bytes`}{" "}
          are shown{nodesMax < NODES_MAX ? "." : ", the most that this page can show."}{" "}
          {nodesMax < NODES_MAX && <Button onClick={more}>Show more</Button>}
        </p>
      )}
    </>
  );
}

function statusText(row: TreeRow | undefined, undecoded: Segment | undefined): string {
  if (row !== undefined) {
    return rowLabel(row);
  }
  return undecoded === undefined
    ? "Point at a field, or use the arrow keys, to see its bytes."
    : `${rangeText(undecoded)}: not decoded yet. Show more to decode them.`;
}

const rangeText = ({ start, end }: Pick<Segment, "start" | "end">): string =>
  end - start === 1 ? `byte ${start}` : `bytes ${start} to ${end - 1}`;

// The innermost row that a segment is part of; -1 if there is none.
const rowAround = (rows: readonly TreeRow[], { start, end }: Segment): number =>
  rows.findLastIndex(({ node }) => node.start <= start && end <= node.end);

const rowLabel = ({ node }: TreeRow): string => {
  const { label, note, value } = node;
  return [label, note, rangeText(node)].filter((part) => part !== "").join(", ") + (value === "" ? "" : `: ${value}`);
};

// The next row in the direction of an arrow key; undefined for other keys.
function stepOf(key: string, active: number, count: number): number | undefined {
  switch (key) {
    case "ArrowDown":
    case "ArrowRight":
      return Math.min(active + 1, count - 1);
    case "ArrowUp":
    case "ArrowLeft":
      return Math.max(active - 1, 0);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}

interface SideProps {
  readonly label: string;
  readonly id: string;
  readonly active: number;
  readonly onActive: (row: number) => void;
}

function Tree({ label, id, rows, active, onActive }: SideProps & { readonly rows: readonly TreeRow[] }) {
  const list = useRef<HTMLDivElement>(null);
  useKeepVisible(list, active);
  const itemOf = ({ node, depth, hasChildren }: TreeRow, index: number, isActive: boolean) => (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus, and names its active item.
    <div
      key={index}
      role="treeitem"
      id={`${id}-row-${index}`}
      aria-level={depth + 1}
      aria-selected={isActive}
      aria-expanded={hasChildren ? true : undefined}
      data-row={index}
      class={`${styles.row} ${styles[`depth${Math.min(depth, 6)}`]}`}
      onPointerEnter={() => onActive(index)}
      onPointerDown={() => onActive(index)}
    >
      <b>{node.label}</b> {node.value !== "" && <code>{node.value}</code>} <small>{node.note}</small>
    </div>
  );
  // Memoised, because there may be thousands of rows and only a few change.
  const idle = useMemo(() => rows.map((row, index) => itemOf(row, index, false)), [rows]);
  return (
    <div
      ref={list}
      role="tree"
      class={styles.tree}
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={active === -1 ? undefined : `${id}-row-${active}`}
      onKeyDown={(event) => {
        const next = stepOf(event.key, active, rows.length);
        if (next !== undefined) {
          event.preventDefault();
          onActive(next);
        }
      }}
    >
      {idle.map((row, index) => (index === active ? itemOf(rows[index] as TreeRow, index, true) : row))}
    </div>
  );
}

function Bytes({
  label,
  id,
  isText,
  bytes,
  segments,
  active,
  range,
  onActive,
  onOtherBytes,
}: SideProps & {
  readonly isText: boolean;
  readonly bytes: Uint8Array;
  readonly segments: readonly Segment[];
  /** The bytes of the active row and of everything inside it. */
  readonly range: Pick<Segment, "start" | "end"> | undefined;
  /** Called when the pointer is on bytes that belong to no row. */
  readonly onOtherBytes: (segment: Segment) => void;
}) {
  const list = useRef<HTMLElement>(null);
  useKeepVisible(list, active);
  const spanOf = (segment: Segment, mark: string | undefined) => {
    const { start, end, row, kind } = segment;
    return (
      <span
        key={start}
        class={`${styles[kind]} ${mark}`}
        data-row={row === -1 ? undefined : row}
        onPointerEnter={() => (row === -1 ? onOtherBytes(segment) : onActive(row))}
      >
        {isText ? textOf(bytes.subarray(start, end)) : `${hexOf(bytes.subarray(start, end))} `}
      </span>
    );
  };
  const idle = useMemo(() => segments.map((segment) => spanOf(segment, "")), [segments]);
  const markedOf = (segment: Segment) =>
    segment.row !== -1 && segment.row === active
      ? spanOf(segment, styles.active)
      : isWithin(segment.start, segment.end, range)
        ? spanOf(segment, styles.within)
        : undefined;
  const last = segments.reduce((most, { row }) => Math.max(most, row), -1);
  return (
    <section
      ref={list}
      class={`${styles.bytes} ${isText ? styles.text : ""}`}
      aria-label={label}
      aria-describedby={`${id}-status`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move through it.
      tabIndex={0}
      onKeyDown={(event) => {
        const next = stepOf(event.key, active, last + 1);
        if (next !== undefined) {
          event.preventDefault();
          onActive(next);
        }
      }}
    >
      {idle.map((span, index) => markedOf(segments[index] as Segment) ?? span)}
    </section>
  );
}

const isWithin = (start: number, end: number, range: Pick<Segment, "start" | "end"> | undefined): boolean =>
  range !== undefined && start >= range.start && end <= range.end;

// Scrolls the list only, not the page.
function useKeepVisible(list: { readonly current: HTMLElement | null }, active: number): void {
  useEffect(() => {
    const box = list.current;
    const item = box?.querySelector<HTMLElement>(`[data-row="${active}"]`);
    if (box === null || !item) {
      return;
    }
    const [outer, inner] = [box.getBoundingClientRect(), item.getBoundingClientRect()];
    if (inner.top < outer.top) {
      box.scrollTop -= outer.top - inner.top;
    } else if (inner.bottom > outer.bottom) {
      box.scrollTop += inner.bottom - outer.bottom;
    }
  }, [list, active]);
}

const hexOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
