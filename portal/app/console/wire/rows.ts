// A tree of wire bytes as two flat lists that refer to each other: the tree's rows, and the segments of the bytes.
import type { NodePart, WireNode } from "./node.ts";

/** One line of the tree. */
export interface TreeRow {
  readonly node: WireNode;
  readonly depth: number;
  readonly hasChildren: boolean;
}

/** Consecutive bytes with the same meaning. */
export interface Segment {
  readonly start: number;
  readonly end: number;
  /** The row that they belong to; -1 for bytes of no row, such as commas in JSON. */
  readonly row: number;
  readonly kind: NodePart["kind"] | "other";
}

/** Builds both lists. The segments cover every byte up to `length`. */
export function rowsOf(
  nodes: readonly WireNode[],
  length: number,
): { readonly rows: readonly TreeRow[]; readonly segments: readonly Segment[] } {
  const rows: TreeRow[] = [];
  const parts: Segment[] = [];
  const visit = (node: WireNode, depth: number): void => {
    const row = rows.push({ node, depth, hasChildren: node.children.length > 0 }) - 1;
    for (const { kind, start, end } of node.parts) {
      // If a field holds other fields, the bytes of its value belong to those fields.
      if (kind !== "value" || node.children.length === 0) {
        parts.push({ kind, start, end, row });
      }
    }
    for (const child of node.children) {
      visit(child, depth + 1);
    }
  };
  for (const node of nodes) {
    visit(node, 0);
  }
  return {
    rows,
    segments: covered(
      parts.toSorted((a, b) => a.start - b.start),
      length,
    ),
  };
}

function covered(parts: readonly Segment[], length: number): readonly Segment[] {
  const segments: Segment[] = [];
  let at = 0;
  const fillUntil = (end: number): void => {
    if (end > at) {
      segments.push({ start: at, end, row: -1, kind: "other" });
      at = end;
    }
  };
  for (const part of parts) {
    if (part.end > part.start && part.start >= at && part.end <= length) {
      fillUntil(part.start);
      segments.push(part);
      at = part.end;
    }
  }
  fillUntil(length);
  return segments;
}
