// What the transport itself finds wrong with a request. It knows no protocol above HTTP: the gateway decides what a fault looks like to
// the caller.

/** Why a request could not be read, before or while its body is. */
type TransportFaultReason =
  | "MALFORMED_REQUEST"
  | "METHOD_NOT_ALLOWED"
  | "REQUEST_TIMEOUT"
  | "BODY_TOO_LARGE"
  | "URI_TOO_LONG"
  | "HEADERS_TOO_LARGE"
  | "TRANSFER_ENCODING_UNKNOWN"
  | "HTTP_VERSION_UNKNOWN"
  | "RATE_LIMITED"
  | "SERVER_BUSY"
  | "CANCELLED";

/** A fault as a value. */
export interface TransportFault {
  readonly reason: TransportFaultReason;
  /** A sentence that a person can act on. */
  readonly message: string;
  /** For RATE_LIMITED and SERVER_BUSY: when to come back, in milliseconds. */
  readonly retryAfterMs?: number;
  /** For METHOD_NOT_ALLOWED: the `Allow` header. */
  readonly allow?: string;
  /** What Node reported, for the log alone. */
  readonly cause?: unknown;
}

/** A fault, thrown while a body is read. */
export class TransportError extends Error {
  readonly fault: TransportFault;

  constructor(fault: TransportFault) {
    super(fault.message, { cause: fault.cause });
    this.name = "TransportError";
    this.fault = fault;
  }
}
