// A client for every data service over Connect, for Node and browsers. Methods, requests and responses are generated from the protos.
import { ConnectError, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { ErrorInfoSchema } from "./gen/google/rpc/error_details_pb.js";
import { SERVICES } from "./generated.js";
import { createPlainClient, type PlainClient } from "./plain-client.js";
import { withRetries } from "./retries.js";

export * from "./types.js";

/** A client for each data service. */
export type Quintet = { readonly [Name in keyof typeof SERVICES]: PlainClient<(typeof SERVICES)[Name]> };

/** Creates the clients. `url` is the server's origin, such as `https://api.example.com`. Nothing is sent before the first call. */
export function createQuintet({ url, key }: { readonly url: string; readonly key: string }): Quintet {
  const addKey: Interceptor = (next) => (request) => {
    request.header.set("x-gateway-key", key);
    return next(request);
  };
  const transport = withRetries(createConnectTransport({ baseUrl: url, interceptors: [addKey] }));
  // The type of Object.fromEntries does not keep the names.
  return Object.fromEntries(
    Object.entries(SERVICES).map(([name, service]) => [name, createPlainClient(service, transport)]),
  ) as Quintet;
}

interface Page<Result> {
  readonly results: readonly Result[];
  readonly nextOffset?: number | undefined;
}

/** The results of all pages, one by one: `resultsOf(quintet.radio.searchStations, { tag: "jazz" })`. Each page is a call. */
export async function* resultsOf<Request extends { readonly offset?: number }, Result>(
  list: (request: Request) => Promise<Page<Result>>,
  request: Request,
): AsyncGenerator<Result, void> {
  for (let offset = request.offset; ; ) {
    const page = await list(offset === undefined ? request : { ...request, offset });
    yield* page.results;
    if (page.nextOffset === undefined) {
      return;
    }
    offset = page.nextOffset;
  }
}

/** The reason of a failed call, such as `QUOTA_EXCEEDED`; undefined if the failure is not the server's. */
export const reasonOf = (error: unknown): string | undefined => ConnectError.from(error).findDetails(ErrorInfoSchema)[0]?.reason;
