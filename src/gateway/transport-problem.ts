// Turns transport faults into problems with the same reason. The compiler checks that every fault's reason exists as a problem's.
import { TransportError } from "@quintet/http";
import { Failure, problemOf } from "../problem/failure.ts";
import type { Problem } from "../problem/problem.ts";

/** The problem of a thrown value, whether a handler, Connect or the transport threw it. */
export function problemOfThrown(thrown: unknown): Problem {
  return thrown instanceof TransportError ? thrown.fault : problemOf(thrown);
}

/** The chunks of a body. Transport faults are thrown as Failures, which connect-es's handlers understand. */
export async function* bodyWithFailures(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (thrown) {
    throw thrown instanceof TransportError ? new Failure(thrown.fault) : thrown;
  }
}
