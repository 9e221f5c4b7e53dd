// How REST writes the messages of a stream down: as newline-delimited JSON, or as server-sent events. Pure.
// https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream

/** One way to write a stream. Each text is whole: what comes after it begins anew. `json` has no line breaks. */
export interface StreamFormat {
  readonly contentType: string;
  message(json: string): string;
  /** The end of a stream that failed: the error envelope. */
  failure(json: string): string;
  /** Says that the stream is alive where nothing else does; undefined where the format has no word for that. */
  readonly heartbeat: string | undefined;
}

/** Newline-delimited JSON. */
export const ndjson: StreamFormat = {
  contentType: "application/x-ndjson",
  message: (json) => `${json}\n`,
  failure: (json) => `${json}\n`,
  heartbeat: undefined,
};

/** Server-sent events. */
export const serverSentEvents: StreamFormat = {
  contentType: "text/event-stream",
  message: (json) => `data: ${json}\n\n`,
  failure: (json) => `event: error\ndata: ${json}\n\n`,
  heartbeat: ": still here\n\n",
};
