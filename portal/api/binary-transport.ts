// Calls this server by the Connect protocol, with messages in Protobuf's binary format. The library's own transport also carries JSON,
// whose code weighs as much as everything else that a call needs.
import {
  type DescMethod,
  type DescMethodStreaming,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import {
  appendHeaders,
  Code,
  ConnectError,
  type ContextValues,
  createContextValues,
  type Interceptor,
  type StreamResponse,
  type Transport,
  type UnaryResponse,
} from "@connectrpc/connect";
import {
  createEnvelopeReadableStream,
  createMethodUrl,
  encodeEnvelope,
  runStreamingCall,
  runUnaryCall,
} from "@connectrpc/connect/protocol";
import {
  endStreamFlag,
  endStreamFromJson,
  errorFromJson,
  requestHeader,
  trailerDemux,
  validateResponse,
} from "@connectrpc/connect/protocol-connect";

/** A transport for unary and server-streaming methods, called at `baseUrl` such as `https://api.example.com`. */
export function createBinaryTransport(baseUrl: string, interceptors: readonly Interceptor[]): Transport {
  const optionsOf = (signal: AbortSignal | undefined, timeoutMs: number | undefined) => ({
    interceptors: [...interceptors],
    ...(signal !== undefined && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  const requestOf = <Method extends DescMethod>(
    method: Method,
    timeoutMs: number | undefined,
    header: HeadersInit | undefined,
    contextValues: ContextValues = createContextValues(),
  ) => ({
    service: method.parent,
    method,
    requestMethod: "POST",
    url: createMethodUrl(baseUrl, method),
    header: requestHeader(method.methodKind, true, timeoutMs, header, false),
    contextValues,
  });
  return {
    unary: async (method, signal, timeoutMs, header, message, contextValues) =>
      runUnaryCall({
        ...optionsOf(signal, timeoutMs),
        req: { ...requestOf(method, timeoutMs, header, contextValues), stream: false, message },
        next: async (request) => {
          const response = await post(request, toBinary(method.input, request.message));
          const { isUnaryError, unaryError } = validateResponse(method.methodKind, true, response.status, response.headers);
          const [responseHeader, trailer] = trailerDemux(response.headers);
          if (isUnaryError) {
            throw errorFromJson(await response.json(), appendHeaders(responseHeader, trailer), unaryError);
          }
          const body = new Uint8Array(await response.arrayBuffer());
          return {
            stream: false,
            service: method.parent,
            method,
            header: responseHeader,
            message: fromBinary(method.output, body),
            trailer,
          } satisfies UnaryResponse;
        },
      }),
    stream: async (method, signal, timeoutMs, header, input, contextValues) =>
      runStreamingCall({
        ...optionsOf(signal, timeoutMs),
        req: { ...requestOf(method, timeoutMs, header, contextValues), stream: true, message: input },
        next: async (request) => {
          const response = await post(request, encodeEnvelope(0, toBinary(method.input, await onlyMessageOf(request.message))));
          validateResponse(method.methodKind, true, response.status, response.headers);
          const trailer = new Headers();
          const messages = messagesOf(response, trailer, (data) => fromBinary(method.output, data));
          return { ...request, header: response.headers, trailer, message: messages } satisfies StreamResponse;
        },
      }),
  };
}

/** Calls a server-streaming method. Ends when the server does, throws its error, and is cancelled by `signal`. */
export async function* callStream<I extends DescMethodStreaming["input"], O extends DescMethodStreaming["output"]>(
  transport: Transport,
  method: DescMethodStreaming<I, O>,
  input: MessageInitShape<I>,
  signal: AbortSignal,
): AsyncGenerator<MessageShape<O>, void, undefined> {
  const requests = (async function* () {
    yield input;
  })();
  yield* (await transport.stream(method, signal, undefined, undefined, requests)).message;
}

const post = (
  { url, header, signal }: { readonly url: string; readonly header: Headers; readonly signal: AbortSignal },
  body: Uint8Array<ArrayBuffer>,
): Promise<Response> => fetch(url, { method: "POST", redirect: "error", headers: header, signal, body });

async function onlyMessageOf<Message>(messages: AsyncIterable<Message>): Promise<Message> {
  for await (const message of messages) {
    return message;
  }
  throw new ConnectError("A server-streaming method needs one request.", Code.Internal);
}

async function* messagesOf<Message>({ body, headers }: Response, trailer: Headers, parse: (data: Uint8Array) => Message) {
  if (body === null) {
    throw new ConnectError("The response has no body.", Code.Internal);
  }
  const reader = createEnvelopeReadableStream(body).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const { flags, data } = read.value;
    if ((flags & endStreamFlag) !== endStreamFlag) {
      yield parse(data);
      continue;
    }
    const { metadata, error } = endStreamFromJson(data);
    if (error !== undefined) {
      appendTo(error.metadata, headers);
      throw error;
    }
    appendTo(trailer, metadata);
    return;
  }
  throw new ConnectError("The stream ended without its last message.", Code.Unavailable);
}

function appendTo(target: Headers, source: Headers): void {
  for (const [name, value] of source) {
    target.append(name, value);
  }
}
