// A worker thread that makes calls for benchmarks on the main thread, so that only the server's work is in the main thread's turns.
import { parentPort, workerData } from "node:worker_threads";
import {
  createRegistry,
  type DescMethodStreaming,
  type DescMethodUnary,
  fromJson,
  type JsonObject,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ACCOUNT_SERVICES, OPERATOR_SERVICES } from "../test/fixtures/data-services.ts";

/** A call of a method, by its full name: `quintet.account.v1.UsageService/GetUsage`. */
export interface AskedCall {
  readonly method: string;
  readonly input: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

/** The result. A stream is left open for a time, and returns nothing. */
export interface CallOutcome {
  readonly output: JsonValue;
  readonly failure: string | undefined;
}

const STREAM_MS = 200;
const transport = createConnectTransport({ baseUrl: workerData, httpVersion: "1.1" });
const methods = new Map(
  [...ACCOUNT_SERVICES, ...OPERATOR_SERVICES].flatMap(({ typeName, methods: all }) =>
    all.map((each) => [`${typeName}/${each.name}`, each]),
  ),
);
const registry = createRegistry(...[...methods.values()].map(({ output }) => output));

async function call({ method: name, input: json, headers }: AskedCall): Promise<JsonValue> {
  const method = methods.get(name);
  if (method === undefined) {
    throw new Error(`there is no ${name}`);
  }
  const input = fromJson(method.input, json);
  if (method.methodKind === "unary") {
    const { message } = await transport.unary(method as DescMethodUnary, undefined, undefined, headers, input);
    return toJson(method.output, message, { registry });
  }
  const signal = AbortSignal.timeout(STREAM_MS);
  try {
    const { message } = await transport.stream(
      method as DescMethodStreaming,
      signal,
      undefined,
      headers,
      (async function* () {
        yield input;
      })(),
    );
    for await (const _ of message) {
      // There are no other calls in the meantime.
    }
  } catch (thrown) {
    if (!signal.aborted) {
      throw thrown;
    }
  }
  return null;
}

parentPort?.on("message", (requested: AskedCall) => {
  call(requested).then(
    (output) => parentPort?.postMessage({ output, failure: undefined } satisfies CallOutcome),
    (thrown) => parentPort?.postMessage({ output: null, failure: String(thrown) } satisfies CallOutcome),
  );
});
