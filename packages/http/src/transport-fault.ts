// The faults that the server itself finds in a request. It knows no protocol above HTTP: a FaultHandler decides how the caller sees a
// fault.

/** Why a request is refused, or its body cannot be read. `FAULT_STATUS` has the HTTP status of each. */
export type FaultReason = keyof typeof FAULT_STATUS;

/** The HTTP status of each fault. CANCELLED has the status that nginx logs for it, because the peer has left and sees none. */
export const FAULT_STATUS = {
  MALFORMED_REQUEST: 400,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  BODY_TOO_LARGE: 413,
  URI_TOO_LONG: 414,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  CANCELLED: 499,
  TRANSFER_ENCODING_UNKNOWN: 501,
  SERVER_BUSY: 503,
  HTTP_VERSION_UNKNOWN: 505,
} as const;

export interface TransportFault {
  readonly reason: FaultReason;
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
