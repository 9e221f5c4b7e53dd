// Deadlines and retries according to the server's service config, which gRPC's own clients follow automatically and Connect's do not:
// https://github.com/grpc/proposal/blob/master/A6-client-retries.md
import type { DescMethod } from "@bufbuild/protobuf";
import { durationMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { createAsyncIterable } from "@connectrpc/connect/protocol";
import { RetryInfoSchema } from "./gen/google/rpc/error_details_pb.js";
import { POLICIES, THROTTLING } from "./generated.js";

/** If the server asks for a longer wait, the monthly quota is used up, and no call waits for the next month. */
const WAIT_MS_MAX = 30_000;

/** Adds them to a transport. A stream is retried only until its first message has arrived. */
export function withRetries(transport: Transport): Transport {
  let tokens = THROTTLING.maxTokens;

  async function retried<T>(
    { parent, name }: DescMethod,
    signal: AbortSignal | undefined,
    ownTimeoutMs: number | undefined,
    attempt: (timeoutMs: number | undefined) => Promise<T>,
  ): Promise<T> {
    const policy = POLICIES[`/${parent.typeName}/${name}`];
    const timeoutMs = ownTimeoutMs ?? policy?.timeoutMs ?? 0;
    const endMs = timeoutMs > 0 ? performance.now() + timeoutMs : Number.POSITIVE_INFINITY;
    for (let failed = 1; ; failed += 1) {
      try {
        const result = await attempt(timeoutMs > 0 ? Math.max(1, Math.ceil(endMs - performance.now())) : undefined);
        tokens = Math.min(THROTTLING.maxTokens, tokens + THROTTLING.tokenRatio);
        return result;
      } catch (thrown) {
        const error = ConnectError.from(thrown);
        const [info] = error.findDetails(RetryInfoSchema);
        const isTemporary = error.code === Code.Unavailable || (error.code === Code.ResourceExhausted && info !== undefined);
        tokens = Math.max(0, tokens - (isTemporary ? 1 : 0));
        if (policy === undefined || !isTemporary || failed >= policy.attempts || tokens <= THROTTLING.maxTokens / 2) {
          throw error;
        }
        const backoffMs = Math.min(policy.backoffMs * policy.backoffMultiplier ** (failed - 1), policy.backoffMsMax);
        const waitMs = info?.retryDelay === undefined ? backoffMs * (0.8 + 0.4 * Math.random()) : durationMs(info.retryDelay);
        if (waitMs > WAIT_MS_MAX || performance.now() + waitMs >= endMs) {
          throw error;
        }
        await pause(waitMs, signal);
      }
    }
  }

  return {
    unary: (method, signal, timeoutMs, ...rest) =>
      retried(method, signal, timeoutMs, (leftMs) => transport.unary(method, signal, leftMs, ...rest)),
    async stream(method, signal, timeoutMs, header, input, context) {
      const sent = await Array.fromAsync(input);
      return await retried(method, signal, timeoutMs, async (leftMs) => {
        const response = await transport.stream(method, signal, leftMs, header, createAsyncIterable(sent), context);
        const messages = response.message[Symbol.asyncIterator]();
        return { ...response, message: startingWith(await messages.next(), messages) };
      });
    },
  };
}

async function* startingWith<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  for (let next = first; next.done !== true; next = await rest.next()) {
    yield next.value;
  }
}

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
