// What came of one connection's bytes.

/** What came of a stream. */
export interface StreamOutcome {
  readonly stream: number;
  /** The first header of the answer: its status. */
  readonly status: string | undefined;
  /** Of an answer that came to its end. */
  readonly body: string | undefined;
  /** The code with which it was reset. */
  readonly reset: number | undefined;
}

/** What came of a connection. */
export interface Outcome {
  readonly streams: readonly StreamOutcome[];
  /** The code of its farewell. */
  readonly goaway: number | undefined;
}
