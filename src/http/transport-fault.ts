// The faults that the transport itself finds in a request. The transport knows no protocol above HTTP: the gateway decides how the
// caller sees a fault.
import type { Reason } from "../problem/reason.ts";

export interface TransportFault {
  readonly reason: Reason;
  /** A sentence that tells the caller what to do. */
  readonly message: string;
  /** When to retry, in milliseconds. For RATE_LIMITED and SERVER_BUSY. */
  readonly retryAfterMs?: number;
  /** The `Allow` header. For METHOD_NOT_ALLOWED. */
  readonly allow?: string;
  /** What Node reported. For the log only. */
  readonly cause?: unknown;
}

/** The fault of a request that breaks the rules of HTTP. */
export const malformed = (message: string): TransportFault => ({ reason: "MALFORMED_REQUEST", message });

/** A fault thrown while a body is read. */
export class TransportError extends Error {
  readonly fault: TransportFault;

  constructor(fault: TransportFault) {
    super(fault.message, { cause: fault.cause });
    this.name = "TransportError";
    this.fault = fault;
  }
}
