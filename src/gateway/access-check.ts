// Decides who may call a method, from the request's head alone, before any byte of its body is read. Every method has an access
// check that no call can bypass. Data services call the guard; account services require a session.

import type { Exchange, ResponseHeaders } from "@quintet/http";
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Admitted, CallerIdentification, Guard, Identified, Refused } from "../guard/guard.ts";
import { KEY_PREFIXES } from "../guard/keys/key.ts";
import { sandboxKeyRefused } from "../guard/keys/key-refusals.ts";
import type { PrincipalMatcher } from "../guard/mesh/principal-matcher.ts";
import type { MessageLimits } from "./rpc/codec.ts";

export interface AccessCheck {
  /** Headers of every response, including refusals. */
  readonly headers: ResponseHeaders;
  /** The size limits of a call's message, if they are smaller than the server's. */
  readonly messageLimits?: MessageLimits;
  /** Whether the methods with this check support dry runs. */
  readonly supportsDryRuns?: true;
  /**
   * `method` is the full name of the RPC method, such as `quintet.farkle.v1.FarkleService/Score`. `isDryRun`: the call will not be
   * made; only with `supportsDryRuns`. Never throws or rejects.
   */
  admit(exchange: Exchange, method: string, isDryRun?: boolean): Admitted | Refused | Promise<Admitted | Refused>;
}

interface KeyOptions {
  /** Whether the server is a sandbox. Only a sandbox accepts sandbox keys, even if another server's store contains them. */
  readonly isSandbox: boolean;
  /** The principals who may call with a client certificate instead of a key; undefined if there are none. */
  readonly principals: PrincipalMatcher | undefined;
}

interface KeyCheckOptions extends KeyOptions {
  readonly guard: Guard;
  readonly service: ServiceName;
  /** Headers of the service's responses, besides those about caching. */
  readonly extraHeaders: ResponseHeaders;
}

/** The access check of a data service: calls the guard with the request's key or the client's certificate. */
export function createKeyCheck({ guard, service, extraHeaders, isSandbox, principals }: KeyCheckOptions): AccessCheck {
  // A response depends on the plan of the key, so no shared cache may store it.
  const headers = { ...extraHeaders, "cache-control": "private" };
  return {
    headers,
    supportsDryRuns: true,
    admit(exchange, method, isDryRun) {
      const key = exchange.headers["x-gateway-key"];
      if (!isSandbox && key?.startsWith(KEY_PREFIXES.sandbox)) {
        return { admitted: false, problem: sandboxKeyRefused() };
      }
      const { address, certificate } = exchange.client;
      const { origin } = exchange.headers;
      if (principals === undefined || certificate === undefined) {
        return guard.admit({ key, address, origin, service, method, isDryRun });
      }
      const mesh = { principal: principals.find(certificate.names), certificate };
      return guard.admit({ key, mesh, address, origin, service, method, isDryRun });
    },
  };
}

/**
 * Identifies the sender of a request that does not itself call a method, by its key or certificate. Charges nothing. Never throws or
 * rejects.
 */
export type Identify = (exchange: Exchange) => Identified | Refused | Promise<Identified | Refused>;

interface IdentifyOptions extends KeyOptions {
  readonly callers: CallerIdentification;
}

/** Refuses callers whom the key checks of every data service would refuse. */
export function createIdentify({ callers, isSandbox, principals }: IdentifyOptions): Identify {
  return ({ headers, client: { address, certificate } }) => {
    const key = headers["x-gateway-key"];
    if (!isSandbox && key?.startsWith(KEY_PREFIXES.sandbox)) {
      return { admitted: false, problem: sandboxKeyRefused() };
    }
    const isMesh = principals !== undefined && certificate !== undefined;
    const mesh = isMesh ? { principal: principals.find(certificate.names), certificate } : undefined;
    return callers.identify({ key, mesh, address, origin: headers.origin });
  };
}
