// The header lines that were read lately, by their text: a client sends the same ones with each request, and they need be read only once.
import { LruMap } from "../../runtime/lru-map.ts";
import type { ServerLimits } from "../limits.ts";
import { type HeaderBlock, parseHeaderBlock } from "./header-block.ts";

/** How many are kept, and of which length at most. */
const BLOCKS_MAX = 1024;
const BLOCK_LENGTH_MAX = 2048;

/** Header lines that were read. */
export interface HeaderLines {
  readonly block: HeaderBlock;
  /** As they were sent, with the blank line behind them; undefined where they are not kept. */
  readonly bytes: Buffer | undefined;
}

/** The header lines that all connections of one listener have sent. */
export class HeaderBlocks {
  readonly #limits: ServerLimits;
  readonly #kept = new LruMap<string, HeaderLines>(BLOCKS_MAX);

  constructor(limits: ServerLimits) {
    this.#limits = limits;
  }

  /** Reads header lines as `parseHeaderBlock` does. The same lines give the same object. */
  parse(text: string): HeaderLines {
    const known = this.#kept.get(text);
    if (known !== undefined) {
      return known;
    }
    const block = parseHeaderBlock(text, this.#limits);
    if (block.fault !== undefined || text.length > BLOCK_LENGTH_MAX) {
      return { block, bytes: undefined };
    }
    const lines = { block, bytes: Buffer.from(`${text}\r\n`, "latin1") };
    this.#kept.set(text, lines);
    return lines;
  }
}
