// An answer that is sent piece by piece, over HTTP/1.1 in chunks and over HTTP/2 in frames. No more of it waits in memory than one piece
// that the peer has not read.

/** An answer on its way. */
export interface ResponseStream {
  /** True once it has ended, or the peer has gone. */
  readonly ended: boolean;
  /** Sends a piece and waits until the peer has room for another. Does nothing once it has ended; never rejects. */
  write(piece: Uint8Array | string): Promise<void>;
  /** Sends a last piece and trailers, where there are any, and ends the answer. Throws, with nothing of it sent, where a trailer has octets that HTTP forbids. */
  end(piece?: Uint8Array | string, trailers?: Readonly<Record<string, string>>): void;
  /** Breaks the answer off, so that its caller sees that it is not whole. */
  reset(): void;
}
