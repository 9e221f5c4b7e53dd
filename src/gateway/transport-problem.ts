// What a fault of the transport is to the caller: the problem of the same reason. The compiler holds that each of them has one.
import { TransportError } from "../http/transport-fault.ts";
import { Failure, problemOf } from "../problem/failure.ts";
import type { Problem } from "../problem/problem.ts";

/** The problem that a thrown value stands for, whether a handler, Connect or the transport threw it. */
export function problemOfThrown(thrown: unknown): Problem {
  return thrown instanceof TransportError ? thrown.fault : problemOf(thrown);
}

/** The chunks of a body. Where reading it fails by a fault of the transport, it throws a Failure, which Connect's handlers understand. */
export async function* bodyWithFailures(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (thrown) {
    throw thrown instanceof TransportError ? new Failure(thrown.fault) : thrown;
  }
}
