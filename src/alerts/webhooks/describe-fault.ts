// Describes why a request to a webhook endpoint failed, so that its owner knows what to do.
import { PRIVATE_ADDRESS } from "../../runtime/public-lookup.ts";

const FAULT_TEXTS: ReadonlyMap<string, string> = new Map([
  [PRIVATE_ADDRESS, "The host has a private address"],
  ["ENOTFOUND", "The host name could not be resolved"],
  ["EAI_AGAIN", "The host name could not be resolved"],
  ["ECONNREFUSED", "The connection was refused"],
  ["ECONNRESET", "The connection was closed before a response arrived"],
  ["EPIPE", "The connection was closed before a response arrived"],
  ["UND_ERR_SOCKET", "The connection was closed before a response arrived"],
  ["UND_ERR_CONNECT_TIMEOUT", "The connection could not be opened in time"],
  ["ETIMEDOUT", "The connection could not be opened in time"],
  ["EHOSTUNREACH", "The host could not be reached"],
  ["ENETUNREACH", "The host could not be reached"],
  ["UND_ERR_HEADERS_OVERFLOW", "The response's headers are too large"],
]);

/** Describes an error of the connection or the protocol. Names only the error's code: its message may contain anything. */
export function describeFault(error: unknown): string {
  const code = codeOf(error);
  const words = FAULT_TEXTS.get(code);
  if (words !== undefined) {
    return `${words}.`;
  }
  if (error instanceof Error && error.name === "HTTPParserError") {
    return "The response is not valid HTTP.";
  }
  return /CERT|SIGNATURE|TLS|SSL/.test(code)
    ? `The TLS connection failed; check the certificate (${code}).`
    : `The request failed (${code}).`;
}

/** Describes a status that is not from 200 to 299. */
export function describeStatus(status: number): string {
  if (status === 410) {
    return "The endpoint is gone (HTTP 410).";
  }
  return status >= 300 && status < 400
    ? `The endpoint redirected, and redirects are not followed (HTTP ${status}).`
    : `The endpoint responded with HTTP ${status}.`;
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "UNKNOWN";
}
