// How REST writes a stream of messages: as newline-delimited JSON, or as server-sent events. Pure.
// https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream

/** A way to write a stream. Each method returns the whole text of one item. `json` has no line breaks. */
export interface StreamFormat {
  readonly contentType: string;
  message(json: string): string;
  /** The last item of a stream that has failed: `json` is the error envelope. */
  failure(json: string): string;
  /** Sent during a long silence instead of a heartbeat's message. Undefined if the format has nothing that readers ignore. */
  readonly heartbeat: string | undefined;
}

export const NDJSON: StreamFormat = {
  contentType: "application/x-ndjson",
  message: (json) => `${json}\n`,
  failure: (json) => `${json}\n`,
  heartbeat: undefined,
};

export const SERVER_SENT_EVENTS: StreamFormat = {
  contentType: "text/event-stream",
  message: (json) => `data: ${json}\n\n`,
  failure: (json) => `event: error\ndata: ${json}\n\n`,
  heartbeat: ": heartbeat\n\n",
};
