// The open streams of a connection by id. A sorted array rather than a Map: a Map that changes this often replaces its table again and
// again, and the old tables can keep removed streams in memory, as `runtime/linked-list.ts` explains.

interface Identified {
  readonly id: number;
}

/** Streams in ascending order of id, which is also the order in which a peer opens them. */
export class StreamTable<Stream extends Identified> {
  readonly #streams: Stream[] = [];

  get size(): number {
    return this.#streams.length;
  }

  /** All streams, as they are now: the table may change while the caller goes through them. */
  all(): readonly Stream[] {
    return this.#streams.slice();
  }

  find(id: number): Stream | undefined {
    const at = this.#indexOf(id);
    return at < 0 ? undefined : this.#streams[at];
  }

  /** Adds a stream whose id is above those of all others. */
  add(stream: Stream): void {
    this.#streams.push(stream);
  }

  /** Removes the stream with this id, if there is one. */
  delete(id: number): void {
    const streams = this.#streams;
    const at = this.#indexOf(id);
    if (at >= 0) {
      // Moves the few streams that were opened later down by one. Unlike `splice`, this allocates nothing.
      for (let later = at + 1; later < streams.length; later += 1) {
        streams[later - 1] = streams[later] as Stream;
      }
      streams.pop();
    }
  }

  // A binary search: -1 if there is no such stream.
  #indexOf(id: number): number {
    const streams = this.#streams;
    let from = 0;
    let to = streams.length - 1;
    while (from <= to) {
      const middle = (from + to) >>> 1;
      const found = (streams[middle] as Stream).id;
      if (found === id) {
        return middle;
      }
      if (found < id) {
        from = middle + 1;
      } else {
        to = middle - 1;
      }
    }
    return -1;
  }
}
