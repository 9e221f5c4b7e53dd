// Decides who may call a method, on the request's head alone, before a byte of its body is read. Every method has an access check, and no call
// gets round it. The data services' asks the guard; the account services' asks for a session.
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Admitted, Guard, Refused } from "../guard/guard.ts";
import { KEY_PREFIXES } from "../guard/keys/key.ts";
import { keyOfSandbox } from "../guard/keys/key-refusals.ts";
import type { PrincipalMatcher } from "../guard/mesh/principal-matcher.ts";
import type { Exchange } from "../http/exchange.ts";
import type { ResponseHeaders } from "../http/headers.ts";
import type { MessageLimits } from "./rpc/codec.ts";

/** Decides who may call a method. */
export interface AccessCheck {
  /** Headers of every answer, refusals included. */
  readonly headers: ResponseHeaders;
  /** The sizes that a call's message must keep to, where they are smaller than the server's. */
  readonly messageLimits?: MessageLimits;
  /** Whether its methods have dry runs. */
  readonly takesDryRuns?: true;
  /**
   * `method` is the RPC method's full name, such as `quintet.farkle.v1.FarkleService/Score`. `isDryRun`: the call is not going to be made; only
   * where `takesDryRuns`. Never throws or rejects.
   */
  admit(exchange: Exchange, method: string, isDryRun?: boolean): Admitted | Refused | Promise<Admitted | Refused>;
}

/** What a key check works with. */
export interface KeyCheckOptions {
  readonly guard: Guard;
  readonly service: ServiceName;
  /** Headers of its answers, beside those that say how they may be cached. */
  readonly extraHeaders: ResponseHeaders;
  /** Whether the server is a sandbox. Only a sandbox takes a sandbox's keys, even where its store has them. */
  readonly isSandbox: boolean;
  /** The principals who may call by a client certificate, in place of a key; undefined where there are none. */
  readonly principals: PrincipalMatcher | undefined;
}

/** The access check of a data service: asks the guard with the request's key, or with the client's certificate. */
export function createKeyCheck({ guard, service, extraHeaders, isSandbox, principals }: KeyCheckOptions): AccessCheck {
  // An answer depends on the plan of this key, so no shared cache may store it.
  const headers = { ...extraHeaders, "cache-control": "private" };
  return {
    headers,
    takesDryRuns: true,
    admit(exchange, method, isDryRun) {
      const key = exchange.headers["x-gateway-key"];
      if (!isSandbox && key?.startsWith(KEY_PREFIXES.sandbox)) {
        return { admitted: false, problem: keyOfSandbox() };
      }
      const { address, certificate } = exchange.client;
      if (principals === undefined || certificate === undefined) {
        return guard.admit({ key, address, service, method, isDryRun });
      }
      const mesh = { principal: principals.find(certificate.names), certificate };
      return guard.admit({ key, mesh, address, service, method, isDryRun });
    },
  };
}
