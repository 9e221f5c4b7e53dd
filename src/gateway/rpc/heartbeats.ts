// Heartbeats in a stream: a message marked as a heartbeat, whenever the handler has been silent for the time given in the proto. Most
// proxies close a connection after a minute of silence, and an HTTP/2 ping only reaches the next proxy.
import { create, type DescMethod, getOption, type Message, type MessageInitShape, ScalarType } from "@bufbuild/protobuf";
import { heartbeat_seconds } from "../../../gen/quintet/options/v1/options_pb.js";
import type { Clock } from "../../runtime/clock.ts";

export interface Heartbeats {
  /** The message to send: `heartbeat`, and nothing else. Recognised by identity. */
  readonly message: Message;
  readonly silenceMs: number;
}

/** The method's heartbeats; undefined if its proto declares none. Throws an Error if its messages have no field `heartbeat`. */
export function heartbeatsOf(method: DescMethod): Heartbeats | undefined {
  const seconds = getOption(method, heartbeat_seconds);
  if (seconds === 0) {
    return undefined;
  }
  const { output } = method;
  if (output.field.heartbeat?.scalar !== ScalarType.BOOL) {
    throw new Error(`${output.typeName} has no field heartbeat, which the heartbeats of ${method.name} need`);
  }
  return { message: create(output, { heartbeat: true } as MessageInitShape<typeof output>), silenceMs: seconds * 1000 };
}

/**
 * Yields the messages, and a heartbeat after each silence of that length. The first message is awaited without heartbeats, so that a call
 * that fails before it can still get a normal error response. When the call is over, the handler must stop on its own: a generator that
 * waits for something cannot be stopped from outside.
 */
export async function* withHeartbeats<Output extends Message>(
  messages: AsyncIterable<Output>,
  heartbeats: Heartbeats | undefined,
  clock: Pick<Clock, "after">,
): AsyncGenerator<Output> {
  if (heartbeats === undefined) {
    yield* messages;
    return;
  }
  const iterator = messages[Symbol.asyncIterator]();
  let next = iterator.next();
  let result: IteratorResult<Output> | undefined = await next;
  try {
    while (result?.done !== true) {
      if (result === undefined) {
        yield heartbeats.message as Output;
      } else {
        yield result.value;
        next = iterator.next();
      }
      result = await within(next, heartbeats.silenceMs, clock);
    }
  } finally {
    next.catch(() => {});
    void iterator.return?.().catch(() => {});
  }
}

// The value of the promise; undefined if it is not settled in time.
async function within<Value>(promise: Promise<Value>, waitMs: number, clock: Pick<Clock, "after">): Promise<Value | undefined> {
  const { promise: timeout, resolve } = Promise.withResolvers<undefined>();
  const cancel = clock.after(waitMs, () => resolve(undefined));
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    cancel();
  }
}
