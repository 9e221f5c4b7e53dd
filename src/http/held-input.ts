// Limits the memory for input that cannot be used yet: heads, header blocks and frames that arrive in parts, and bytes of bodies that are
// not being read yet. One connection holds little, but ten thousand would hold a gigabyte. The limit applies to all connections of a
// listener together. Connections from one address may use an eighth of it, so that one client cannot use it up.
import type { TransportFault } from "./transport-fault.ts";

/** The share of the limit that one address may use. */
const ADDRESS_PART = 1 / 8;
const RETRY_MS = 1000;

/** The fault of a request that arrives in parts when there is no room for more. */
export const TOO_MUCH_HELD: TransportFault = {
  reason: "SERVER_BUSY",
  message: "The server is holding as many incomplete requests as it can at the moment; retry in 1 s.",
  retryAfterMs: RETRY_MS,
};

/** The input held for all connections from one address. */
interface Holder {
  heldInputBytes: number;
}

/** The input held for all connections of one listener. */
export class HeldInput {
  readonly bytesMax: number;
  bytes = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }
}

export class HeldInputOfConnection {
  readonly #all: HeldInput;
  readonly #holder: Holder | undefined;
  #bytes = 0;

  /** Without a `holder`, only the limit of the listener applies. */
  constructor(all: HeldInput, holder: Holder | undefined) {
    this.#all = all;
    this.#holder = holder;
  }

  /** Sets how many bytes the connection holds. Returns false if it is more than before and there is no room for it. */
  set(bytes: number): boolean {
    const change = bytes - this.#bytes;
    if (change === 0) {
      return true;
    }
    const { bytesMax } = this.#all;
    this.#bytes = bytes;
    this.#all.bytes += change;
    if (this.#holder !== undefined) {
      this.#holder.heldInputBytes += change;
    }
    return change < 0 || (this.#all.bytes <= bytesMax && (this.#holder?.heldInputBytes ?? 0) <= ADDRESS_PART * bytesMax);
  }
}
