// Sends one request to a webhook endpoint. A customer chose the URL, so everything is bounded: no request is sent to a private address (the
// address that the connection actually uses is checked), no redirect is followed, and only the beginning of a response is read. Each
// request has its own connection, so none stays open to a host that may not be called again for days.
import type { Clock } from "../../runtime/clock.ts";
import { CONTROL_CHARACTERS } from "../../runtime/control-characters.ts";
import { createAgent, createGuardedAgent, type ProxyConfig } from "../../runtime/proxied-agent.ts";
import { isPrivateHost } from "../../runtime/public-address.ts";
import { PRIVATE_ADDRESS } from "../../runtime/public-lookup.ts";

// Describes why a request to a webhook endpoint failed, so that its owner knows what to do.
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
  // undici's code for a tunnel that a proxy refuses.
  ["UND_ERR_ABORTED", "The proxy of this server's network refused the connection"],
  ["UND_ERR_HEADERS_OVERFLOW", "The response's headers are too large"],
]);

/** Describes an error of the connection or the protocol. Names only the error's code: its message may contain anything. */
function describeFault(error: unknown): string {
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
function describeStatus(status: number): string {
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

export interface WebhookRequests {
  /** The `user-agent` header. */
  readonly userAgent: string;
  /** The longest that connecting may take, TLS included. */
  readonly connectTimeoutMs: number;
  /** Whether requests may go to private addresses, and without TLS. */
  readonly allowsPrivate: boolean;
  /** The proxy that requests go through; undefined if there is none. */
  readonly proxy?: ProxyConfig | undefined;
}

export interface WebhookResponse {
  /** Undefined if none arrived. */
  readonly httpStatus: number | undefined;
  /** The beginning of its body. */
  readonly response: string;
  /** Undefined for a status from 200 to 299. */
  readonly error: string | undefined;
}

const TIMEOUT_MS = 15_000;
// Applies once the status has arrived: the body is only for the log.
const BODY_TIMEOUT_MS = 2000;
const BODY_BYTES_MAX = 4000;
const RESPONSE_CHARACTERS_MAX = 1000;
// All but tabs and line breaks, which the log of deliveries shows.
const UNREADABLE = new RegExp(String.raw`(?![\t\n\r])[${CONTROL_CHARACTERS}]`, "gu");

interface PostOptions extends WebhookRequests {
  readonly clock: Pick<Clock, "after">;
  /** Ends the request when it aborts. */
  readonly signal: AbortSignal;
}

/** Sends a body. Never rejects. */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  options: PostOptions,
): Promise<WebhookResponse> {
  const { clock, userAgent, allowsPrivate, connectTimeoutMs } = options;
  const { origin, protocol, hostname, pathname, search } = new URL(url);
  if (!allowsPrivate && (protocol !== "https:" || isPrivateHost(hostname))) {
    const error = protocol === "https:" ? "The host has a private address." : "The URL is not https.";
    return { httpStatus: undefined, response: "", error };
  }
  const timeout = new AbortController();
  const cancel = clock.after(TIMEOUT_MS, () => timeout.abort());
  const agent = (allowsPrivate ? createAgent : createGuardedAgent)(options.proxy, {
    connect: { timeout: connectTimeoutMs },
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    const { statusCode, body: stream } = await agent.request({
      origin,
      path: `${pathname}${search}`,
      method: "POST",
      headers: { ...headers, "content-type": "application/json", "user-agent": userAgent },
      body,
      signal: AbortSignal.any([timeout.signal, options.signal]),
    });
    const isDelivered = statusCode >= 200 && statusCode < 300;
    return {
      httpStatus: statusCode,
      response: await beginningOf(stream, clock),
      error: isDelivered ? undefined : describeStatus(statusCode),
    };
  } catch (error) {
    const words = timeout.signal.aborted ? `No response arrived within ${TIMEOUT_MS / 1000} seconds.` : describeFault(error);
    return { httpStatus: undefined, response: "", error: words };
  } finally {
    cancel();
    await agent.destroy();
  }
}

// The first bytes of a body. Never rejects: a body that ends early, or comes slowly, is cut.
async function beginningOf(stream: AsyncIterable<Buffer> & { destroy(): unknown }, clock: Pick<Clock, "after">): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const cancel = clock.after(BODY_TIMEOUT_MS, () => stream.destroy());
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= BODY_BYTES_MAX) {
        break;
      }
    }
  } catch {
    // What has arrived so far is enough.
  } finally {
    cancel();
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, BODY_BYTES_MAX));
  return text.replaceAll(UNREADABLE, "\u{FFFD}").slice(0, RESPONSE_CHARACTERS_MAX).toWellFormed();
}
