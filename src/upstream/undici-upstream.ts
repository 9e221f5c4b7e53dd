// All requests to upstreams: JSON over undici, with bounds on everything. A request has the URL, our own user agent and, on
// request, validators; of the caller nothing but the ids of the request and of its trace. An answer is accepted only if `parse` takes it. It is cached for a short time and
// shared, so callers must not change it.
import { createAnswerCache } from "./answer-cache.ts";
import { type AttemptsOptions, createAttempts } from "./attempts.ts";
import { UpstreamFault } from "./fault.ts";
import { createFlights, type Flight } from "./single-flight.ts";
import type { Fetched, Parse, Upstream, UpstreamCall, Validators } from "./upstream.ts";

/** What an upstream is made from. */
export interface UpstreamOptions extends AttemptsOptions {
  /**
   * How long an answer is held and given again for the same URL; 0 for not at all. Answers are held, and requests under way shared,
   * for one `parse` function each: pass the same function every time.
   */
  readonly cacheMs: number;
}

/** An answer and the size of its body. */
interface Believed<Value> {
  readonly fetched: Fetched<Value>;
  readonly bodyBytes: number;
}

const PARSE_MESSAGE_CHARACTERS_MAX = 200;

/** Makes one upstream over undici. It opens no connection before the first request. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { clock, cacheMs, observer } = options;
  const attempts = createAttempts(options);
  const cache = createAnswerCache({ maxAgeMs: cacheMs, clock });
  const flights = createFlights(clock);
  const keyOf = createKeys();
  let closed = false;

  const ask = async <Value>(
    url: string,
    parse: Parse<Value>,
    validators: Validators | undefined,
    flight: Flight,
  ): Promise<Believed<Value> | "unchanged"> => {
    const answer = await attempts.ask(url, validators, flight);
    if (answer === "unchanged") {
      return answer;
    }
    const value = believe(parse, answer.json);
    return { fetched: { value, receivedAtMs: clock.nowMs(), validators: answer.validators }, bodyBytes: answer.bodyBytes };
  };

  const refuseWhenClosed = (): void => {
    if (closed) {
      throw closedFault();
    }
  };

  return {
    async get<Value>(url: string, parse: Parse<Value>, call: UpstreamCall): Promise<Fetched<Value>> {
      refuseWhenClosed();
      const key = keyOf(url, parse);
      const held = cache.get(key);
      if (cacheMs > 0) {
        observer?.lookedUp(held !== undefined);
      }
      if (held !== undefined) {
        // A key stands for one parse function, and so for one type.
        return held as Fetched<Value>;
      }
      return flights.join(key, call, async (flight) => {
        const answer = await ask(url, parse, undefined, flight);
        if (answer === "unchanged") {
          throw new UpstreamFault("status", "answered 304 to an unconditional request", { status: 304 });
        }
        cache.set(key, answer.fetched, answer.bodyBytes);
        return answer.fetched;
      });
    },

    async getIfChanged<Value>(url: string, parse: Parse<Value>, call: UpstreamCall): Promise<Fetched<Value> | "unchanged"> {
      refuseWhenClosed();
      const validators = call.validators ?? {};
      const key = `${keyOf(url, parse)} ${JSON.stringify([validators.etag, validators.lastModified])}`;
      return flights.join(key, call, async (flight) => {
        const answer = await ask(url, parse, validators, flight);
        return answer === "unchanged" ? answer : answer.fetched;
      });
    },

    async close() {
      closed = true;
      flights.abortAll(closedFault());
      await attempts.close();
    },
  };
}

const closedFault = (): UpstreamFault => new UpstreamFault("connect", "closed");

/** Makes one key of a URL and a parse function, so that no caller is given a value that another's function made. */
function createKeys(): (url: string, parse: Parse<unknown>) => string {
  const numbers = new WeakMap<Parse<unknown>, number>();
  let count = 0;
  return (url, parse) => {
    let number = numbers.get(parse);
    if (number === undefined) {
      count += 1;
      number = count;
      numbers.set(parse, number);
    }
    return `${number} ${url}`;
  };
}

function believe<Value>(parse: Parse<Value>, json: unknown): Value {
  try {
    return parse(json);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "it is not what it should be";
    // A text that is long quotes what came, and is not kept.
    const kept = why.length > PARSE_MESSAGE_CHARACTERS_MAX ? {} : { cause };
    throw new UpstreamFault("body", `not believed: ${why.slice(0, PARSE_MESSAGE_CHARACTERS_MAX)}`, kept);
  }
}
