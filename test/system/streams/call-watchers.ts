// Calls WatchCalls with real clients of every protocol. Each yields the messages in the same form, REST's JSON.
import { create, type JsonObject, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.js";
import { WatchCallsRequestSchema, WatchCallsResponseSchema } from "../../../gen/quintet/account/v1/usage_pb.js";
import { accountClient } from "../../fixtures/account-clients.ts";

/** What to watch, and as whom. */
export interface CallWatch {
  readonly origin: string;
  /** The headers that carry the session. */
  readonly headers: Readonly<Record<string, string>>;
  readonly request: MessageInitShape<typeof WatchCallsRequestSchema>;
  /** Aborts the stream on the reader's side. */
  readonly signal: AbortSignal;
}

/** One message as REST's JSON has it. */
export interface WatchedCalls {
  readonly calls: readonly JsonObject[];
  readonly left_out: number;
  readonly servers?: number;
}

/** Thrown if the server refuses the stream or ends it with a failure. */
class WatchEnded extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super(`ended with ${reason}`);
    this.reason = reason;
  }
}

/** One client. */
export interface CallWatcherClient {
  readonly name: string;
  watch(watch: CallWatch): AsyncGenerator<WatchedCalls>;
}

const overTransport = (name: string, make: (baseUrl: string) => Transport): CallWatcherClient => ({
  name,
  async *watch({ origin, headers, request, signal }) {
    const client = accountClient(make(origin));
    try {
      for await (const message of client.watchCalls(request, { headers, signal })) {
        const json = toJson(WatchCallsResponseSchema, message, { useProtoFieldName: true, alwaysEmitImplicit: true });
        yield json as unknown as WatchedCalls;
      }
    } catch (thrown) {
      throw new WatchEnded(ConnectError.from(thrown).findDetails(ErrorInfoSchema)[0]?.reason);
    }
  },
});

const reasonIn = (json: string): unknown => (JSON.parse(json) as { error?: { reason: string } }).error?.reason;

// `dataOf` parses an item; undefined for items that readers skip.
const overFetch = (
  name: string,
  accept: string,
  separator: string,
  dataOf: (item: string) => string | undefined,
): CallWatcherClient => ({
  name,
  async *watch({ origin, headers, request, signal }) {
    const fields = toJson(WatchCallsRequestSchema, create(WatchCallsRequestSchema, request), { useProtoFieldName: true });
    const query = new URLSearchParams(Object.entries(fields as JsonObject).map(([field, value]) => [field, String(value)]));
    const response = await fetch(`${origin}/account/v1/watch-calls?${query}`, { headers: { ...headers, accept }, signal });
    if (response.status !== 200) {
      throw new WatchEnded(reasonIn(await response.text()));
    }
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      const items = text.split(separator);
      text = items.pop() ?? "";
      for (const data of items.map(dataOf).filter((each) => each !== undefined)) {
        if (reasonIn(data) !== undefined) {
          throw new WatchEnded(reasonIn(data));
        }
        yield JSON.parse(data) as WatchedCalls;
      }
    }
  },
});

/** All clients. */
export const CALL_WATCHERS: readonly CallWatcherClient[] = [
  overTransport("Connect over HTTP/1.1", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })),
  overTransport("gRPC-Web", (baseUrl) => createGrpcWebTransport({ baseUrl })),
  overTransport("gRPC", (baseUrl) => createGrpcTransport({ baseUrl })),
  overFetch("REST, NDJSON", "application/x-ndjson", "\n", (line) => line),
  overFetch("REST, server-sent events", "text/event-stream", "\n\n", (event) => /^data: (.*)$/m.exec(event)?.[1]),
];
