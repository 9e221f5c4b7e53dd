// The ConformanceService as its proto describes it: each request says how to respond, and the response repeats what the server saw.
import { create, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import { type Any, anyPack } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../../../src/runtime/clock.ts";
import type {
  Conformance,
  ConformanceRequest,
  Header,
  WantedError,
  WantedResponse,
  WantedStream,
  WantedUnary,
} from "./messages.ts";

type Init = MessageInitShape<Conformance["service"]["methods"][number]["output"]>;

const headersOf = (headers: Headers): Header[] => Array.from(headers, ([name, value]) => ({ name, value: [value] }));

/** Creates the implementation. */
export function createConformanceService({ service, message }: Conformance, clock: Clock): ServiceImpl<Conformance["service"]> {
  const requestInfoSchema = message("ConformancePayload.RequestInfo");

  // Read when the call begins, because the response must report the time that was left then.
  function requestInfoOf(context: HandlerContext): (requests: readonly Any[]) => Message {
    const timeoutMs = context.timeoutMs();
    const isGet = context.requestMethod === "GET";
    const query = [...new URL(context.url).searchParams].map(([name, value]) => ({ name, value: [value] }));
    return (requests) =>
      create(requestInfoSchema, {
        requestHeaders: headersOf(context.requestHeader),
        ...(timeoutMs !== undefined && { timeoutMs: BigInt(Math.floor(timeoutMs)) }),
        requests,
        ...(isGet && { connectGetInfo: { queryParams: query } }),
      } as Init);
  }

  const pack = (request: Message): Any => {
    const desc = service.methods.map(({ input }) => input).find(({ typeName }) => typeName === request.$typeName);
    if (desc === undefined) {
      throw new Error(`no method takes a ${request.$typeName}`);
    }
    return anyPack(desc, request);
  };

  function failure(wanted: WantedError, info?: Message): ConnectError {
    const error = new ConnectError(wanted.message ?? "", wanted.code as Code);
    const details = info === undefined ? wanted.details : [...wanted.details, anyPack(requestInfoSchema, info)];
    error.details = details.map(({ typeUrl, value }) => ({ type: typeUrl.slice(typeUrl.lastIndexOf("/") + 1), value }));
    return error;
  }

  function announce(context: HandlerContext, wanted: WantedResponse): void {
    for (const { name, value } of wanted.responseHeaders) {
      for (const one of value) {
        context.responseHeader.append(name, one);
      }
    }
    for (const { name, value } of wanted.responseTrailers) {
      for (const one of value) {
        context.responseTrailer.append(name, one);
      }
    }
  }

  const delay = (delayMs: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const cancel = clock.after(delayMs, resolve);
      signal.addEventListener("abort", () => {
        cancel();
        reject(signal.reason);
      });
    });

  async function respondOnce(wanted: WantedUnary | undefined, context: HandlerContext, info: Message): Promise<Init> {
    if (wanted === undefined) {
      return { payload: { requestInfo: info } } as Init;
    }
    announce(context, wanted);
    if (wanted.responseDelayMs > 0) {
      await delay(wanted.responseDelayMs, context.signal);
    }
    if (wanted.response.case === "error") {
      throw failure(wanted.response.value, info);
    }
    const data = wanted.response.case === "responseData" ? wanted.response.value : new Uint8Array(0);
    return { payload: { data, requestInfo: info } } as Init;
  }

  const unary = (request: Message, context: HandlerContext): Promise<Init> =>
    respondOnce((request as ConformanceRequest<WantedUnary>).responseDefinition, context, requestInfoOf(context)([pack(request)]));

  async function clientStream(requests: AsyncIterable<Message>, context: HandlerContext): Promise<Init> {
    const requestInfo = requestInfoOf(context);
    let wanted: WantedUnary | undefined;
    const seen: Any[] = [];
    for await (const request of requests) {
      wanted ??= (request as ConformanceRequest<WantedUnary>).responseDefinition;
      seen.push(pack(request));
    }
    return respondOnce(wanted, context, requestInfo(seen));
  }

  async function* respondInStream(
    wanted: WantedStream | undefined,
    context: HandlerContext,
    infoOf: (index: number) => Message | undefined,
    from = 0,
  ): AsyncGenerator<Init> {
    for (const [index, data] of (wanted?.responseData ?? []).slice(from).entries()) {
      if ((wanted?.responseDelayMs ?? 0) > 0) {
        await delay(wanted?.responseDelayMs ?? 0, context.signal);
      }
      const info = infoOf(from + index);
      yield { payload: { data, ...(info !== undefined && { requestInfo: info }) } } as Init;
    }
    if (wanted?.error !== undefined) {
      throw failure(wanted.error, wanted.responseData.length === 0 ? infoOf(0) : undefined);
    }
  }

  async function* serverStream(request: Message, context: HandlerContext): AsyncGenerator<Init> {
    const info = requestInfoOf(context)([pack(request)]);
    const wanted = (request as ConformanceRequest<WantedStream>).responseDefinition;
    if (wanted !== undefined) {
      announce(context, wanted);
    }
    yield* respondInStream(wanted, context, (index) => (index === 0 ? info : undefined));
  }

  async function* bidiStream(requests: AsyncIterable<Message>, context: HandlerContext): AsyncGenerator<Init> {
    const requestInfo = requestInfoOf(context);
    let wanted: WantedStream | undefined;
    let fullDuplex = false;
    let sent = 0;
    let first = true;
    let seen: Any[] = [];
    for await (const message of requests) {
      const request = message as ConformanceRequest<WantedStream>;
      if (first) {
        first = false;
        wanted = request.responseDefinition;
        fullDuplex = request.fullDuplex ?? false;
        if (wanted !== undefined) {
          announce(context, wanted);
        }
      }
      seen.push(pack(request));
      if (!fullDuplex) {
        continue;
      }
      const data = wanted?.responseData[sent];
      if (data === undefined) {
        break;
      }
      if ((wanted?.responseDelayMs ?? 0) > 0) {
        await delay(wanted?.responseDelayMs ?? 0, context.signal);
      }
      const info = sent === 0 ? requestInfo(seen) : create(requestInfoSchema, { requests: seen } as Init);
      yield { payload: { data, requestInfo: info } } as Init;
      sent += 1;
      seen = [];
    }
    yield* respondInStream(wanted, context, (index) => (index === 0 ? requestInfo(seen) : undefined), sent);
  }

  return {
    unary,
    idempotentUnary: unary,
    clientStream,
    serverStream,
    bidiStream,
    unimplemented() {
      throw new ConnectError("This method is not implemented.", Code.Unimplemented);
    },
  } as unknown as ServiceImpl<Conformance["service"]>;
}
