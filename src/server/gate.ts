// What stands before a service and decides on a request's head alone, before a byte of its body is read: the guard before the five data
// services, a session before the customers' own. Every method has one, and there is no way round it.
import type { OutgoingHttpHeaders } from "node:http";
import type { Admitted, Guard, Refused } from "../guard/guard.ts";
import type { MessageLimits } from "../lanes/codec.ts";
import type { ServiceName } from "../services/service.ts";
import type { Exchange } from "./exchange.ts";

/** A gate. */
export interface Gate {
  /** Headers that every answer from behind the gate has, refusals included. */
  readonly headers: OutgoingHttpHeaders;
  /** How much a call's message may be, where that is less than elsewhere. */
  readonly messageLimits?: MessageLimits;
  /** `method` is the RPC method's full name, such as `quintet.farkle.v1.FarkleService/Score`. Never throws or rejects. */
  admit(exchange: Exchange, method: string): Admitted | Refused | Promise<Admitted | Refused>;
}

/** The gate of a data service: the guard, asked with the request's key. `marks` are the headers of its answers. */
export function createKeyGate(guard: Guard, service: ServiceName, marks: OutgoingHttpHeaders): Gate {
  // An answer is what this key's plan gives: no cache that others share may keep it.
  const headers = { ...marks, "cache-control": "private" };
  return {
    headers,
    admit(exchange, method) {
      const key = exchange.headers["x-gateway-key"];
      return guard.admit({ key: Array.isArray(key) ? key.join(", ") : key, service, method });
    },
  };
}
