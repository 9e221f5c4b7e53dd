// Retries calls as the server's service config says. Connect does not read service configs, so this does.
import { durationMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { RetryInfoSchema } from "./gen/google/rpc/error_details_pb.ts";

interface RetryPolicy {
  maxAttempts: number;
  initialBackoff: string;
  maxBackoff: string;
  backoffMultiplier: number;
  retryableStatusCodes: string[];
}

/** A wait that is too long for a person at a page, such as until the next month. */
const WAIT_MS_MAX = 10_000;

/** An interceptor with the first policy of the config, which is the one for the data services. */
export async function retryInterceptor(server: string): Promise<Interceptor> {
  const answer = await fetch(`${server}/grpc-service-config.json`);
  const config: { methodConfig: { retryPolicy: RetryPolicy }[] } = await answer.json();
  const policy = config.methodConfig[0].retryPolicy;
  return (next) => async (request) => {
    let backoffMs = Number.parseFloat(policy.initialBackoff) * 1000;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await next(request);
      } catch (error) {
        const failure = ConnectError.from(error);
        const waitMs = waitOf(failure, policy, backoffMs * (0.8 + 0.4 * Math.random()));
        if (attempt === policy.maxAttempts || waitMs === undefined || waitMs > WAIT_MS_MAX) {
          throw error;
        }
        await pause(waitMs, request.signal);
        backoffMs = Math.min(backoffMs * policy.backoffMultiplier, Number.parseFloat(policy.maxBackoff) * 1000);
      }
    }
  };
}

// As long as the server says, or undefined if another attempt does not help.
function waitOf(failure: ConnectError, { retryableStatusCodes }: RetryPolicy, backoffMs: number): number | undefined {
  // RESOURCE_EXHAUSTED for ResourceExhausted.
  const name = Code[failure.code].replace(/(?<=.)(?=[A-Z])/g, "_").toUpperCase();
  const told = failure.findDetails(RetryInfoSchema)[0]?.retryDelay;
  if (!retryableStatusCodes.includes(name)) {
    return undefined;
  }
  // Retrying helps only with limits on calls, not with others such as the size of a message.
  return told ? durationMs(told) : failure.code === Code.Unavailable ? backoffMs : undefined;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(ConnectError.from(signal.reason));
    });
  });
}
