// Wire bytes as a tree: what each range of bytes means.

/** A part of a node's own bytes, for colouring: `flag` and `length` of an envelope, `tag`, `length` and `value` of a field. */
export interface NodePart {
  readonly kind: "flag" | "length" | "tag" | "value";
  readonly start: number;
  readonly end: number;
}

/** One range of the bytes, and what it means. */
export interface WireNode {
  /** A field's name, `Envelope`, a member's name, or an element's index in brackets. */
  readonly label: string;
  /** How it is written: `field 9, varint`; empty if there is nothing to say. */
  readonly note: string;
  /** The value in short; empty if the children hold it. */
  readonly value: string;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly parts: readonly NodePart[];
  readonly children: readonly WireNode[];
}

/** Counts nodes, so that no response makes a tree that is too large to show. */
export interface NodeBudget {
  left: number;
  /** Whether anything was left out. */
  isCut: boolean;
}

/** A budget of this many nodes. */
export const nodeBudget = (nodesMax: number): NodeBudget => ({ left: nodesMax, isCut: false });

/** Takes one node from the budget; false if none is left. */
export function takeNode(budget: NodeBudget): boolean {
  if (budget.left === 0) {
    budget.isCut = true;
    return false;
  }
  budget.left -= 1;
  return true;
}

const VALUE_CHARACTERS_MAX = 120;

/** A string as a node shows it: in quotes, and cut if it is long. */
export function quoted(text: string): string {
  return text.length > VALUE_CHARACTERS_MAX
    ? `${JSON.stringify(text.slice(0, VALUE_CHARACTERS_MAX))}… ${text.length} characters`
    : JSON.stringify(text);
}
