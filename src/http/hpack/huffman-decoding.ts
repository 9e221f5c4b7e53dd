// Decodes Huffman-coded strings four bits at a time, by a table of states. A state is a node of the code tree: the bits since the
// last whole symbol. No code is shorter than five bits, so four bits complete at most one symbol.
import { CODE_BITS, CODES, END_OF_STRING } from "./huffman-code.ts";

/** An entry contains the next state, the symbol in the byte above it, and these flags. */
const HAS_SYMBOL = 1 << 16;
const IS_INVALID = 1 << 17;

const STATES = 256;
/** The entry for a state and four bits is at `state * 16 + bits`. */
const TRANSITIONS = new Uint32Array(STATES * 16);
/** 1 where a string may end: after a whole symbol, or within the first seven bits of the end-of-string code. */
const MAY_END = new Uint8Array(STATES);

/**
 * Decodes `source` from `start` to `end` into `target`. Returns the length of the string in bytes; if that exceeds
 * `target.length`, only the beginning was written. Returns -1 if the coding is invalid: a whole end-of-string code, or padding
 * that is not its beginning or has eight bits or more.
 */
export function decodeHuffman(source: Uint8Array, start: number, end: number, target: Uint8Array): number {
  const room = target.length;
  let state = 0;
  let length = 0;
  // Bytes that are not a symbol are written too, and then overwritten. A branch for each four bits would be slower, because
  // processors cannot predict it.
  for (let i = start; i < end; i++) {
    const byte = source[i] as number;
    const high = TRANSITIONS[(state << 4) | (byte >> 4)] as number;
    if (length < room) {
      target[length] = high >> 8;
    }
    length += (high & HAS_SYMBOL) >> 16;
    const low = TRANSITIONS[((high & 0xff) << 4) | (byte & 0xf)] as number;
    if (length < room) {
      target[length] = low >> 8;
    }
    length += (low & HAS_SYMBOL) >> 16;
    if (((high | low) & IS_INVALID) !== 0) {
      return -1;
    }
    state = low & 0xff;
  }
  return MAY_END[state] === 1 ? length : -1;
}

/** An inner node of the code tree, with the branches for 0 and 1. A leaf is represented by its symbol. */
interface Node {
  readonly state: number;
  readonly branches: [Branch, Branch];
}
type Branch = Node | number | undefined;

fillTables();

function fillTables(): void {
  const nodes = readTree();
  const [root] = nodes as [Node];
  for (const node of nodes) {
    for (let bits = 0; bits < 16; bits++) {
      TRANSITIONS[node.state * 16 + bits] = transition(root, node, bits);
    }
  }
  let branch: Branch = root;
  for (let padding = 0; padding < 8 && typeof branch === "object"; padding++) {
    MAY_END[branch.state] = 1;
    branch = branch.branches[1];
  }
}

/** The inner nodes of the tree, each at the index of its state; the root is first. */
function readTree(): readonly Node[] {
  const nodes: Node[] = [{ state: 0, branches: [undefined, undefined] }];
  for (const [symbol, code] of CODES.entries()) {
    let node = nodes[0] as Node;
    for (let bit = (CODE_BITS[symbol] as number) - 1; bit > 0; bit--) {
      const side = (code >>> bit) & 1;
      let next = node.branches[side];
      if (typeof next !== "object") {
        next = { state: nodes.length, branches: [undefined, undefined] };
        nodes.push(next);
        node.branches[side] = next;
      }
      node = next;
    }
    node.branches[code & 1] = symbol;
  }
  return nodes;
}

function transition(root: Node, from: Node, bits: number): number {
  let node = from;
  let symbols = 0;
  for (let bit = 3; bit >= 0; bit--) {
    const branch = node.branches[(bits >> bit) & 1] as Node | number;
    if (branch === END_OF_STRING) {
      return IS_INVALID;
    }
    if (typeof branch === "number") {
      symbols = HAS_SYMBOL | (branch << 8);
      node = root;
    } else {
      node = branch;
    }
  }
  return symbols | node.state;
}
