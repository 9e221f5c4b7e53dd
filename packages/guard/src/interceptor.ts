// The guard as an interceptor of Connect. Behind guardNode or guardFetch it only settles calls by how they ended. By itself it also
// admits them; but interceptors run after the body of a unary call was read.
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import type { Admitted, Guard } from "./guard.ts";
import { limitHeaders } from "./limits.ts";
import { refusalError } from "./refusal.ts";
import { KEY_HEADER, keyIn, type ServerOptions } from "./server-options.ts";

// Where the server failed, and not the caller.
const REFUNDED: ReadonlySet<Code> = new Set([
  Code.Unknown,
  Code.DeadlineExceeded,
  Code.Unimplemented,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
]);
const isCharged = (error: unknown): boolean => !REFUNDED.has(ConnectError.from(error).code);

/** An interceptor that refunds to the month what fails by the server's fault, unless a stream has already sent a message. */
export function guardInterceptor({ guard, serviceOf, keyHeader = KEY_HEADER }: ServerOptions): Interceptor {
  return (next) => async (request) => {
    let admitted = guard.current.getStore();
    const isAdmittedHere = admitted === undefined;
    if (admitted === undefined) {
      const service = serviceOf({ method: request.requestMethod, path: new URL(request.url).pathname });
      if (service === undefined) {
        return next(request);
      }
      const decision = await guard.admit({ key: keyIn(request.header.get(keyHeader) ?? undefined, keyHeader), service });
      if (!decision.admitted) {
        const error = refusalError(decision.refusal, keyHeader);
        addLimits(error.metadata, decision.limits);
        throw error;
      }
      admitted = decision;
    }
    const call = admitted;
    try {
      const response = await guard.current.run(call, () => next(request));
      if (isAdmittedHere) {
        addLimits(response.header, call.limits);
      }
      if (response.stream) {
        return { ...response, message: settled(guard, call, response.message) };
      }
      await call.settle(true);
      return response;
    } catch (error) {
      await call.settle(isCharged(error));
      throw error;
    }
  };
}

function addLimits(headers: Headers, limits: Admitted["limits"] | undefined): void {
  for (const [name, value] of Object.entries(limits === undefined ? {} : limitHeaders(limits))) {
    headers.set(name, value);
  }
}

async function* settled<Message>(guard: Guard, call: Admitted, messages: AsyncIterable<Message>): AsyncGenerator<Message> {
  const iterator = messages[Symbol.asyncIterator]();
  let hasSent = false;
  try {
    for (;;) {
      const { value, done } = await guard.current.run(call, () => iterator.next());
      if (done === true) {
        break;
      }
      hasSent = true;
      yield value;
    }
    await call.settle(true);
  } catch (error) {
    await call.settle(hasSent || isCharged(error));
    throw error;
  } finally {
    await iterator.return?.();
  }
}
