// The calls that a page of Explore has made, for users who want to make them themselves: the last one of each method.
import { type DescMethod, type JsonObject, type Message, toJson } from "@bufbuild/protobuf";
import type { Interceptor } from "@connectrpc/connect";

export interface PastCall {
  /** `quintet.radio.v1.RadioService/SearchStations` */
  readonly rpc: string;
  /** What was sent, with the proto's names. */
  readonly input: JsonObject;
}

/** Remembers the calls of a page. */
export class PastCalls {
  readonly #byMethod = new Map<string, PastCall>();

  /** The last call of each method, the methods in the order of their first calls. */
  get all(): readonly PastCall[] {
    return [...this.#byMethod.values()];
  }

  add({ parent, name, input }: DescMethod, message: Message): void {
    const rpc = `${parent.typeName}/${name}`;
    this.#byMethod.set(rpc, { rpc, input: toJson(input, message, { useProtoFieldName: true }) as JsonObject });
  }
}

/** Adds each call to `calls`. */
export const recordCalls =
  (calls: PastCalls): Interceptor =>
  (next) =>
  (request) => {
    if (!request.stream) {
      calls.add(request.method, request.message);
      return next(request);
    }
    const { method, message } = request;
    return next({
      ...request,
      message: (async function* () {
        for await (const one of message) {
          calls.add(method, one);
          yield one;
        }
      })(),
    });
  };
