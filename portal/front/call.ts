// Makes a call of the front page, and writes the response as it came. Reads only a bounded part of it, however much the server sends.
import { wireText } from "../content/wire-text.ts";
import type { FrontRequest } from "./requests.ts";

export interface FrontResponse {
  /** The status line, headers and body. */
  readonly text: string;
  /** How long it took until the last byte. */
  readonly ms: number;
  /** Whether the browser has decompressed the body: then `text` is not what the header `content-length` counts. */
  readonly isDecompressed: boolean;
}

interface CallOptions {
  readonly fetch: typeof globalThis.fetch;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
  /** What the browser calls the HTTP version of the response from this URL, such as `h2`; undefined if it does not say. */
  readonly alpnOf: (url: string) => string | undefined;
}

/** How much of a response is read. */
export const BYTES_MAX = 65_536;
// More rows than the recorded responses have, which the page's weight limits.
const ROWS_MAX = 100;

/** Calls with this key. Rejects if the server cannot be reached, or `signal` aborts the call. */
export async function callFront(
  { verb, target, headers, body }: FrontRequest,
  key: string,
  { fetch, nowMs, signal, alpnOf }: CallOptions,
): Promise<FrontResponse> {
  const beginMs = nowMs();
  const response = await fetch(target, {
    method: verb,
    headers: { ...headers, "x-gateway-key": key },
    ...(body !== undefined && { body: Uint8Array.from(body) }),
    // The key says who is calling, so the session's cookie is not sent.
    credentials: "omit",
    signal,
  });
  const bytes = await bytesOf(response);
  const ms = nowMs() - beginMs;
  const version = versionOf(alpnOf(response.url));
  return {
    text: wireText({ version, status: response.status, headers: response.headers, body: bytes, rowsMax: ROWS_MAX }),
    ms,
    isDecompressed: response.headers.has("content-encoding"),
  };
}

async function bytesOf({ body }: Response): Promise<Uint8Array> {
  const reader = body?.getReader();
  const bytes: number[] = [];
  for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read()) {
    bytes.push(...read.value.subarray(0, BYTES_MAX - bytes.length));
    if (bytes.length === BYTES_MAX) {
      await reader?.cancel();
      break;
    }
  }
  return Uint8Array.from(bytes);
}

// `HTTP/2` for `h2`. https://www.w3.org/TR/resource-timing/#dom-performanceresourcetiming-nexthopprotocol
const versionOf = (alpn = ""): string =>
  alpn.startsWith("http/") ? alpn.toUpperCase() : /^h\d$/.test(alpn) ? `HTTP/${alpn.slice(1)}` : "HTTP";
