// Turns faults of the transport into problems for the caller, by the same reason. The compiler checks that each fault's reason is a problem's.
import { TransportError } from "../http/transport-fault.ts";
import { Failure, problemOf } from "../problem/failure.ts";
import type { Problem } from "../problem/problem.ts";

/** The problem that a thrown value stands for, whether a handler, Connect or the transport threw it. */
export function problemOfThrown(thrown: unknown): Problem {
  return thrown instanceof TransportError ? thrown.fault : problemOf(thrown);
}

/** The chunks of a body. A fault of the transport is thrown as a Failure, which connect-es's handlers understand. */
export async function* bodyWithFailures(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (thrown) {
    throw thrown instanceof TransportError ? new Failure(thrown.fault) : thrown;
  }
}
