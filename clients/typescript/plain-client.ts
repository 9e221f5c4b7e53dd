// Clients whose responses are plain objects, and whose streams end when they are left.
import type { DescMethodServerStreaming, DescMethodUnary, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { isMessage } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema, timestampDate } from "@bufbuild/protobuf/wkt";
import { type CallOptions, createClient, type Transport } from "@connectrpc/connect";

/**
 * A message as a plain object, which `JSON.stringify` accepts: times are dates, and 64-bit integers, all of which are below 2^53, numbers.
 */
export type Plain<T> = T extends bigint
  ? number
  : T extends Timestamp
    ? Date
    : T extends readonly (infer Item)[]
      ? Plain<Item>[]
      : T extends object
        ? { [Name in keyof T as Exclude<Name, "$typeName" | "$unknown">]: Plain<T[Name]> }
        : T;

/** A client of one service. `break` in a loop over a stream ends the call. */
export type PlainClient<Service extends DescService> = {
  readonly [Name in keyof Service["method"]]: Service["method"][Name] extends DescMethodUnary<infer Input, infer Output>
    ? (request: MessageInitShape<Input>, options?: CallOptions) => Promise<Plain<MessageShape<Output>>>
    : Service["method"][Name] extends DescMethodServerStreaming<infer Input, infer Output>
      ? (request: MessageInitShape<Input>, options?: CallOptions) => AsyncGenerator<Plain<MessageShape<Output>>, void, undefined>
      : never;
};

type Call = (request: object, options?: CallOptions) => Promise<unknown> & AsyncIterable<unknown>;

/** Creates a client. */
export function createPlainClient<Service extends DescService>(service: Service, transport: Transport): PlainClient<Service> {
  const client = createClient(service, transport) as unknown as Readonly<Record<string, Call>>;
  const methods = service.methods.map(({ localName, methodKind }) => {
    const call = client[localName] as Call;
    return [
      localName,
      methodKind === "unary"
        ? async (request: object, options?: CallOptions) => plain(await call(request, options))
        : (request: object, options?: CallOptions) => stream(call, request, options),
    ];
  });
  return Object.fromEntries(methods);
}

async function* stream(call: Call, request: object, { signal, ...options }: CallOptions = {}): AsyncGenerator<unknown, void> {
  const left = new AbortController();
  try {
    for await (const message of call(request, {
      ...options,
      signal: AbortSignal.any([left.signal, ...(signal ? [signal] : [])]),
    })) {
      yield plain(message);
    }
  } finally {
    left.abort();
  }
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") {
    return Number(value);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map(plain);
  }
  if (isMessage(value, TimestampSchema)) {
    return timestampDate(value);
  }
  const fields = Object.entries(value).filter(([name]) => name !== "$typeName" && name !== "$unknown");
  return Object.fromEntries(fields.map(([name, one]) => [name, plain(one)]));
}
