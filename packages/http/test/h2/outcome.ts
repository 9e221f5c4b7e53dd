// The outcome of one connection's bytes.

/** The outcome of a stream. */
export interface StreamOutcome {
  readonly stream: number;
  /** The first header of the response: its status. */
  readonly status: string | undefined;
  /** The body, if the response was complete. */
  readonly body: string | undefined;
  /** The code with which it was reset. */
  readonly reset: number | undefined;
}

/** The outcome of a connection. */
export interface Outcome {
  readonly streams: readonly StreamOutcome[];
  /** The code of its GOAWAY. */
  readonly goaway: number | undefined;
}
