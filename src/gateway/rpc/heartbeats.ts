// Heartbeats in a stream: a message without content wherever the handler has been silent for as long as the proto says. Most proxies close a
// connection that has been silent for a minute, and an HTTP/2 ping goes no further than the next of them.
import { create, type DescMethod, getOption, type Message } from "@bufbuild/protobuf";
import { heartbeat_seconds } from "../../../gen/quintet/options/v1/options_pb.js";
import type { Clock } from "../../runtime/clock.ts";

/** The heartbeats of one method. */
export interface Heartbeats {
  /** What is sent. Known by identity: a handler's own empty message is another. */
  readonly message: Message;
  readonly silenceMs: number;
}

/** The method's heartbeats; undefined where its proto asks for none. */
export function heartbeatsOf(method: DescMethod): Heartbeats | undefined {
  const seconds = getOption(method, heartbeat_seconds);
  return seconds === 0 ? undefined : { message: create(method.output), silenceMs: seconds * 1000 };
}

/**
 * The messages, and a heartbeat wherever none has come for as long as that. The first message is waited for: a call that fails before it can still
 * be answered like any other. The handler has to stop by itself when its call is over, since it may be waiting then.
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

// What the promise gives; undefined when it has not been settled in time.
async function within<Value>(promise: Promise<Value>, waitMs: number, clock: Pick<Clock, "after">): Promise<Value | undefined> {
  const { promise: timeout, resolve } = Promise.withResolvers<undefined>();
  const cancel = clock.after(waitMs, () => resolve(undefined));
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    cancel();
  }
}
