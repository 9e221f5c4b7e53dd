// What stands before a service and decides on a request's head alone, before a byte of its body is read: the guard before the five data
// services, a session before the customers' own. Every method has one, and there is no way round it.
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Admitted, Guard, Refused } from "../guard/guard.ts";
import { KEY_PREFIXES } from "../guard/keys/key.ts";
import { keyOfSandbox } from "../guard/keys/key-refusals.ts";
import type { Exchange } from "../http/exchange.ts";
import type { ResponseHeaders } from "../http/headers.ts";
import type { MessageLimits } from "./rpc/codec.ts";

/** Decides who may call a method. */
export interface AccessCheck {
  /** Headers that every answer has, refusals included. */
  readonly headers: ResponseHeaders;
  /** How much a call's message may be, where that is less than elsewhere. */
  readonly messageLimits?: MessageLimits;
  /** `method` is the RPC method's full name, such as `quintet.farkle.v1.FarkleService/Score`. Never throws or rejects. */
  admit(exchange: Exchange, method: string): Admitted | Refused | Promise<Admitted | Refused>;
}

/** What the access check of a data service works with. */
export interface KeyCheckOptions {
  readonly guard: Guard;
  readonly service: ServiceName;
  /** The headers of its answers. */
  readonly extraHeaders: ResponseHeaders;
  /** Whether the server is a sandbox: no other takes a sandbox's keys, whatever store it works on. */
  readonly isSandbox: boolean;
}

/** The access check of a data service: the guard, asked with the request's key. */
export function createKeyCheck({ guard, service, extraHeaders, isSandbox }: KeyCheckOptions): AccessCheck {
  // An answer is what this key's plan gives: no cache that others share may keep it.
  const headers = { ...extraHeaders, "cache-control": "private" };
  return {
    headers,
    admit(exchange, method) {
      const header = exchange.headers["x-gateway-key"];
      const key = Array.isArray(header) ? header.join(", ") : header;
      if (!isSandbox && key?.startsWith(KEY_PREFIXES.sandbox)) {
        return { admitted: false, problem: keyOfSandbox() };
      }
      return guard.admit({ key, service, method });
    },
  };
}
