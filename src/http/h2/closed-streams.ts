// The streams of a connection that were closed last. What still comes on one that we have reset was sent before its peer knew, and is no
// fault of it; on another it is. https://www.rfc-editor.org/rfc/rfc9113#section-5.1

const KEPT = 128;

/** Why a stream is closed. */
export type Closing = "reset by us" | "over";

/** The last streams that were closed. */
export class ClosedStreams {
  // The ids in turn, those that we have reset as negative numbers. Not a typed array: that takes 0.7 KiB of a connection with one call.
  readonly #ids: number[] = [];
  #next = 0;

  add(streamId: number, closing: Closing): void {
    this.#ids[this.#next] = closing === "over" ? streamId : -streamId;
    this.#next = (this.#next + 1) % KEPT;
  }

  /** Why the stream is closed; undefined where it was closed long ago, or never opened. */
  find(streamId: number): Closing | undefined {
    if (this.#ids.includes(-streamId)) {
      return "reset by us";
    }
    return this.#ids.includes(streamId) ? "over" : undefined;
  }
}
