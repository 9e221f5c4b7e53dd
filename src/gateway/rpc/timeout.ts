// Reads the caller's deadline from the header of each protocol. Pure. Every reader throws a Failure MALFORMED_REQUEST.
import { Failure } from "../../problem/failure.ts";
import { TIMER_MS_MAX } from "../../runtime/clock.ts";

const GRPC_UNITS_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 0.001, n: 0.000_001 };

const malformed = (header: string, right: string): Failure =>
  new Failure({ reason: "MALFORMED_REQUEST", message: `The ${header} header must be ${right}.` });

/** `grpc-timeout` in milliseconds: at most 8 digits and a unit. https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
export function parseGrpcTimeoutMs(header: string): number {
  const unitMs = GRPC_UNITS_MS[header.slice(-1)];
  const digits = header.slice(0, -1);
  if (unitMs === undefined || !/^\d{1,8}$/.test(digits)) {
    throw malformed("grpc-timeout", "1 to 8 digits and a unit, one of H, M, S, m, u and n");
  }
  return Number(digits) * unitMs;
}

/** `connect-timeout-ms`: at most 10 digits. https://connectrpc.com/docs/protocol#unary-request */
export function parseConnectTimeoutMs(header: string): number {
  if (!/^\d{1,10}$/.test(header)) {
    throw malformed("connect-timeout-ms", "1 to 10 digits");
  }
  return Number(header);
}

/** `x-server-timeout` of a REST call: seconds with up to three decimals. Returns milliseconds. */
export function parseServerTimeoutMs(header: string): number {
  if (!/^\d{1,7}(\.\d{1,3})?$/.test(header)) {
    throw malformed("x-server-timeout", "a number of seconds, with at most three decimals");
  }
  return Number(header) * 1000;
}

/**
 * Shortens a deadline in the headers to the longest that a timer can wait: connect-es sets a timer to whatever the header says.
 */
export function capTimeouts(headers: Headers): void {
  const grpc = headers.get("grpc-timeout");
  const connect = headers.get("connect-timeout-ms");
  if (grpc !== null && /^\d{1,8}[HMS]$/.test(grpc) && parseGrpcTimeoutMs(grpc) > TIMER_MS_MAX) {
    headers.set("grpc-timeout", `${Math.floor(TIMER_MS_MAX / 1000)}S`);
  }
  if (connect !== null && /^\d{10}$/.test(connect) && Number(connect) > TIMER_MS_MAX) {
    headers.set("connect-timeout-ms", String(TIMER_MS_MAX));
  }
}
