// What the adapters need to know of a server, whatever its kind.
import type { Guard } from "./guard.ts";

/** How a server's requests are guarded. */
export interface ServerOptions {
  readonly guard: Guard;
  /**
   * The service that a request is for, as in subscriptions; undefined if it needs no key, as a preflight of CORS. `path` is without the
   * query, and still percent-encoded; `method` is in upper case.
   */
  readonly serviceOf: (request: { readonly method: string; readonly path: string }) => string | undefined;
  /** The header with the key, in lower case; `x-api-key` by default. With `authorization`, the key follows `Bearer`. */
  readonly keyHeader?: string;
}

export const KEY_HEADER = "x-api-key";

/** The key in the value of its header. */
export const keyIn = (value: string | undefined, keyHeader: string): string | undefined =>
  keyHeader === "authorization" ? value?.replace(/^Bearer +/i, "") : value;

/** Whether a response means that no method was called, or that the server failed. */
export const isRefunded = (status: number): boolean => status === 404 || status === 405 || status >= 500;
