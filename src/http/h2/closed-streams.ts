// The most recently closed streams of a connection. Frames on a stream that we have reset are no fault, because the peer may have sent them
// before it knew. On any other closed stream they are a fault. https://www.rfc-editor.org/rfc/rfc9113#section-5.1

const STREAMS_KEPT = 128;

export type Closing = "reset by us" | "over";

export class ClosedStreams {
  // A ring of ids; those of streams that we have reset are negative. Not a typed array, which would cost every connection 0.7 KiB.
  readonly #ids: number[] = [];
  #next = 0;

  add(streamId: number, closing: Closing): void {
    this.#ids[this.#next] = closing === "over" ? streamId : -streamId;
    this.#next = (this.#next + 1) % STREAMS_KEPT;
  }

  /** Why the stream is closed; undefined if it was closed long ago or never opened. */
  find(streamId: number): Closing | undefined {
    if (this.#ids.includes(-streamId)) {
      return "reset by us";
    }
    return this.#ids.includes(streamId) ? "over" : undefined;
  }
}
