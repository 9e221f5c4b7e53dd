// Sends all requests to upstreams: JSON over undici, with limits on everything. A request contains the URL, our own user agent,
// optional validators, and, from the caller, only the ids of the request and its trace. A response is accepted only if `parse` accepts
// it. It is cached briefly and shared, so callers must not change it.
import { type AttemptsOptions, createAttempts } from "./attempts.ts";
import { UpstreamFault } from "./fault.ts";
import { createResponseCache } from "./response-cache.ts";
import { createFlights, type Flight } from "./single-flight.ts";
import type { Fetched, Parse, Upstream, UpstreamCall, Validators } from "./upstream.ts";

export interface UpstreamOptions extends AttemptsOptions {
  /** How long a response is reused for the same URL, in milliseconds; 0 for not at all. */
  readonly cacheMs: number;
}

const PARSE_MESSAGE_CHARACTERS_MAX = 200;

/** Creates an upstream over undici. Opens no connection before the first request. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { clock, cacheMs, observer } = options;
  const attempts = createAttempts(options);
  const cache = createResponseCache({ maxAgeMs: cacheMs, clock });
  const flights = createFlights(clock);
  let loneRequests = 0;
  let closed = false;

  const request = async <Value>(
    url: string,
    parse: Parse<Value>,
    validators: Validators | undefined,
    flight: Flight,
  ): Promise<Fetched<Value> | "unchanged"> => {
    flight.onSend?.();
    const response = await attempts.request(url, validators, flight);
    if (response === "unchanged") {
      return response;
    }
    const { json, validators: newValidators, bodyBytes } = response;
    return { value: await check(parse, json), receivedAtMs: clock.nowMs(), validators: newValidators, bodyBytes };
  };

  const keyOf = (url: string, { alone }: UpstreamCall): string => {
    if (alone !== true) {
      return url;
    }
    loneRequests += 1;
    return `${url} ${loneRequests}`;
  };

  const refuseWhenClosed = (): void => {
    if (closed) {
      throw closedFault();
    }
  };

  return {
    async get<Value>(url: string, parse: Parse<Value>, call: UpstreamCall): Promise<Fetched<Value>> {
      refuseWhenClosed();
      const cached = call.alone === true ? undefined : cache.get(url);
      if (cacheMs > 0) {
        observer?.lookedUp(cached !== undefined);
      }
      if (cached !== undefined) {
        // A URL is always parsed by the same function, so its value has one type.
        return cached as Fetched<Value>;
      }
      return flights.join(keyOf(url, call), call, async (flight) => {
        const response = await request(url, parse, undefined, flight);
        if (response === "unchanged") {
          throw new UpstreamFault("status", "sent 304 to an unconditional request", { status: 304 });
        }
        cache.set(url, response);
        return response;
      });
    },

    async getIfChanged<Value>(url: string, parse: Parse<Value>, call: UpstreamCall): Promise<Fetched<Value> | "unchanged"> {
      refuseWhenClosed();
      const validators = call.validators ?? {};
      const key = `${keyOf(url, call)} ${JSON.stringify([validators.etag, validators.lastModified])}`;
      return flights.join(key, call, (flight) => request(url, parse, validators, flight));
    },

    async close() {
      closed = true;
      flights.abortAll(closedFault());
      await attempts.close();
    },
  };
}

const closedFault = (): UpstreamFault => new UpstreamFault("connect", "closed");

async function check<Value>(parse: Parse<Value>, json: unknown): Promise<Value> {
  try {
    return await parse(json);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "the body is not as expected";
    // A long message quotes the response. It is cut, and the error that contains it is dropped.
    const kept = why.length > PARSE_MESSAGE_CHARACTERS_MAX ? {} : { cause };
    throw new UpstreamFault("body", `not accepted: ${why.slice(0, PARSE_MESSAGE_CHARACTERS_MAX)}`, kept);
  }
}
