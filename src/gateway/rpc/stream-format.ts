// How REST writes a stream of messages: as newline-delimited JSON, or as server-sent events. Pure.
// https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream

/** One way to write a stream. Each method returns the whole text of one item. `json` has no line breaks. */
export interface StreamFormat {
  readonly contentType: string;
  message(json: string): string;
  /** The last item of a stream that has failed: `json` is the error envelope. */
  failure(json: string): string;
  /** Sent in a long silence in place of a message without content. Undefined where the format has nothing that readers pass over. */
  readonly heartbeat: string | undefined;
}

/** Newline-delimited JSON. */
export const NDJSON: StreamFormat = {
  contentType: "application/x-ndjson",
  message: (json) => `${json}\n`,
  failure: (json) => `${json}\n`,
  heartbeat: undefined,
};

/** Server-sent events. */
export const SERVER_SENT_EVENTS: StreamFormat = {
  contentType: "text/event-stream",
  message: (json) => `data: ${json}\n\n`,
  failure: (json) => `event: error\ndata: ${json}\n\n`,
  heartbeat: ": still here\n\n",
};
