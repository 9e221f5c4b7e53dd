// Deadlines and retries as the server's service config says, which gRPC's own clients read by themselves and Connect's do not:
// https://github.com/grpc/proposal/blob/master/A6-client-retries.md
import type { DescMethod } from "@bufbuild/protobuf";
import { durationMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { RetryInfoSchema } from "./gen/google/rpc/error_details_pb.js";

interface MethodConfig {
  readonly name: readonly { readonly service: string; readonly method?: string }[];
  readonly timeout?: string;
  readonly retryPolicy?: {
    readonly maxAttempts: number;
    readonly initialBackoff: string;
    readonly maxBackoff: string;
    readonly backoffMultiplier: number;
  };
}

export interface ServiceConfig {
  readonly methodConfig: readonly MethodConfig[];
  readonly retryThrottling: { readonly maxTokens: number; readonly tokenRatio: number };
}

/** A server that asks for a longer wait means the next month, which no call waits for. */
const WAIT_MS_MAX = 30_000;

const msOf = (text: string): number => Number.parseFloat(text) * 1000;

/** Adds the deadlines and retries to a transport. A stream is tried again only until its first message has come. */
export function withServiceConfig(transport: Transport, { methodConfig, retryThrottling }: ServiceConfig): Transport {
  const { maxTokens, tokenRatio } = retryThrottling;
  let tokens = maxTokens;

  function configOf({ name, parent }: DescMethod): Partial<MethodConfig> {
    const named = (method: string | undefined) => (config: MethodConfig) =>
      config.name.some((one) => one.service === parent.typeName && one.method === method);
    return methodConfig.find(named(name)) ?? methodConfig.find(named(undefined)) ?? {};
  }

  async function retried<T>(
    method: DescMethod,
    signal: AbortSignal | undefined,
    ownTimeoutMs: number | undefined,
    attempt: (timeoutMs: number | undefined) => Promise<T>,
  ): Promise<T> {
    const { timeout, retryPolicy: policy } = configOf(method);
    const timeoutMs = ownTimeoutMs ?? (timeout === undefined ? undefined : msOf(timeout));
    const endMs = timeoutMs === undefined || timeoutMs <= 0 ? undefined : performance.now() + timeoutMs;
    for (let failed = 1; ; failed += 1) {
      try {
        const result = await attempt(endMs === undefined ? timeoutMs : Math.max(1, Math.ceil(endMs - performance.now())));
        tokens = Math.min(maxTokens, tokens + tokenRatio);
        return result;
      } catch (thrown) {
        const error = ConnectError.from(thrown);
        const [info] = error.findDetails(RetryInfoSchema);
        const isTemporary = error.code === Code.Unavailable || (error.code === Code.ResourceExhausted && info !== undefined);
        if (policy === undefined || !isTemporary) {
          throw error;
        }
        tokens = Math.max(0, tokens - 1);
        const backoffMs = msOf(policy.initialBackoff) * policy.backoffMultiplier ** (failed - 1);
        const ownMs = Math.min(backoffMs, msOf(policy.maxBackoff)) * (0.8 + 0.4 * Math.random());
        const waitMs = info?.retryDelay === undefined ? ownMs : durationMs(info.retryDelay);
        const isTooLate = waitMs > WAIT_MS_MAX || (endMs !== undefined && performance.now() + waitMs >= endMs);
        if (failed >= policy.maxAttempts || tokens <= maxTokens / 2 || isTooLate) {
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
        const response = await transport.stream(method, signal, leftMs, header, iterate(sent), context);
        const messages = response.message[Symbol.asyncIterator]();
        return { ...response, message: startingWith(await messages.next(), messages) };
      });
    },
  };
}

async function* iterate<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

async function* startingWith<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  for (let next = first; next.done !== true; next = await rest.next()) {
    yield next.value;
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        reject(signal.reason);
      },
      { once: true },
    );
  });
}
