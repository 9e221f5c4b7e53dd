// The handlers that both pipelines call. A request header says how the handler should respond. Each handler records what it saw of its
// call, so that this side of the two pipelines can be compared too.
import { create, type DescMessage, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import { type Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { ErrorInfoSchema, HelpSchema } from "../../../gen/google/rpc/error_details_pb.js";
import { RadioService, type SearchStationsRequest, SearchStationsResponseSchema } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { Failure } from "../../../src/problem/failure.ts";
import type { Problem } from "../../../src/problem/problem.ts";
import type { DataService } from "../../../src/services/service.ts";
import { type Everything, EverythingSchema } from "../../gen/quintet/testing/v1/everything_pb.js";
import { LibraryService } from "../../gen/quintet/testing/v1/library_pb.js";
import type { RawHeaders } from "./raw-client.ts";

/** How a handler should respond. */
export interface Want {
  readonly headers?: RawHeaders;
  readonly trailers?: RawHeaders;
  readonly end:
    | { readonly kind: "ok"; readonly textBytes?: number }
    | { readonly kind: "error"; readonly code: Code; readonly message: string; readonly rich: boolean }
    | { readonly kind: "problem"; readonly problem: Problem }
    | { readonly kind: "defect"; readonly thrown: "error" | "text" | "nothing" }
    | { readonly kind: "unwritable" }
    | { readonly kind: "hang"; readonly afterwards: "reject" | "respond" };
}

/** The request header that says so. */
export const WANT_HEADER = "x-want";

/** The value of that header. */
export const writeWant = (want: Want): string => encodeURIComponent(JSON.stringify(want));

/** What a handler saw of its call. */
export interface Seen {
  readonly protocol: string;
  readonly method: string;
  /** Without the port. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly hasDeadline: boolean;
  readonly input: JsonValue;
}

function see(context: HandlerContext, schema: DescMessage, input: Message): Seen {
  const timeoutMs = context.timeoutMs();
  return {
    protocol: context.protocolName,
    method: context.requestMethod,
    url: context.url.replace(/:\d+\//, "/"),
    headers: Object.fromEntries([...context.requestHeader].filter(([name]) => name !== "host")),
    hasDeadline: timeoutMs !== undefined,
    input: toJson(schema, input),
  };
}

function announce({ responseHeader, responseTrailer }: HandlerContext, want: Want): void {
  for (const [name, value] of want.headers ?? []) {
    responseHeader.append(name, value);
  }
  for (const [name, value] of want.trailers ?? []) {
    responseTrailer.append(name, value);
  }
}

function errorOf({ code, message, rich }: Extract<Want["end"], { kind: "error" }>): ConnectError {
  const error = new ConnectError(message, code);
  if (rich) {
    error.metadata.append("x-thrown", "with the error");
    error.metadata.append("grpc-status", "7");
    error.details.push(
      { desc: ErrorInfoSchema, value: { reason: "WHATEVER", domain: "example.org", metadata: { a: "b" } } },
      { desc: HelpSchema, value: { links: [{ description: "where", url: "https://example.org/" }] } },
      { type: "example.Unknown", value: new Uint8Array([8, 1]) },
    );
  }
  return error;
}

// Never resolves: the call's deadline rejects it.
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
    } else {
      signal.addEventListener("abort", () => resolve(), { once: true });
    }
  });

async function act(context: HandlerContext, want: Want): Promise<string | undefined> {
  announce(context, want);
  const { end } = want;
  switch (end.kind) {
    case "ok":
      return end.textBytes === undefined ? undefined : "lorem ipsum ".repeat(end.textBytes).slice(0, end.textBytes);
    case "error":
      throw errorOf(end);
    case "problem":
      throw new Failure(end.problem);
    case "defect":
      if (end.thrown === "error") {
        throw new Error("a secret of the inside");
      }
      throw end.thrown === "text" ? "a secret text" : undefined;
    case "unwritable":
      return undefined;
    case "hang":
      await aborted(context.signal);
      if (end.afterwards === "reject") {
        throw context.signal.reason;
      }
      return undefined;
  }
}

/** The services. `note` is called for each call. */
export function createServices(note: (seen: Seen) => void): DataService[] {
  const wantOf = ({ requestHeader }: HandlerContext): Want => JSON.parse(decodeURIComponent(requestHeader.get(WANT_HEADER) ?? ""));
  const library = {
    async echo(input: Everything, context: HandlerContext) {
      note(see(context, EverythingSchema, input));
      const want = wantOf(context);
      const text = await act(context, want);
      if (want.end.kind === "unwritable") {
        return create(EverythingSchema, { int32Value: 2 ** 40 });
      }
      return text === undefined ? input : { stringValue: text };
    },
  };
  const radio = {
    async searchStations(input: SearchStationsRequest, context: HandlerContext) {
      note(see(context, RadioService.method.searchStations.input, input));
      const want = wantOf(context);
      const text = await act(context, want);
      const count = want.end.kind === "unwritable" ? 2 ** 40 : input.offset;
      return create(SearchStationsResponseSchema, { count, filters: { name: text ?? input.name } });
    },
  };
  const close = async (): Promise<void> => {};
  return [
    { name: "radio", desc: LibraryService, implementation: library, close },
    { name: "radio", desc: RadioService, implementation: radio, close },
  ] as unknown as DataService[];
}
