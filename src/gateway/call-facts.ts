// What is recorded about a call for its account, whether somebody is watching it live or it goes into the log: what it was and how long it
// took, but never the request or the response.
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { CallFacts } from "../store/usage-records.ts";
import type { ObservedCall } from "./call-observer.ts";

/** The data services, by their full names. */
export type DataServices = ReadonlyMap<string, ServiceName>;

/** The facts of a call; undefined unless it is a call to a data service with a known key. */
export function callFactsOf(
  { exchange, method, protocolName: protocol, isDryRun, identity, startedMs }: ObservedCall,
  services: DataServices,
  clock: Pick<Clock, "nowMs" | "monotonicMs">,
): CallFacts | undefined {
  const service = method && services.get(method.desc.parent.typeName);
  if (method === undefined || service === undefined || identity === undefined) {
    return undefined;
  }
  const elapsedMs = clock.monotonicMs() - startedMs;
  return {
    startedAtMs: Math.round(clock.nowMs() - elapsedMs),
    service,
    method: method.fullName,
    protocol,
    isDryRun,
    httpStatus: exchange.status,
    durationMs: Math.round(elapsedMs * 1000) / 1000,
    requestBytes: exchange.requestBodyBytes,
    responseBytes: exchange.responseBodyBytes,
    requestId: exchange.requestId,
    keyId: identity.keyId,
    keyLastFour: identity.keyLastFour,
  };
}

/** Returns the id of a call: always the same for one call, and unique among the calls in all workers. */
export type GetCallId = (call: ObservedCall) => string;

/** The ids of a worker's calls. Each is created when it is first needed. */
export function createCallIds(randomness: Pick<Randomness, "uuid">): GetCallId {
  const ids = new WeakMap<ObservedCall, string>();
  let prefix: string | undefined;
  let last = 0;
  return (call) => {
    const known = ids.get(call);
    if (known !== undefined) {
      return known;
    }
    prefix ??= randomness.uuid();
    last += 1;
    const id = `${prefix}-${last}`;
    ids.set(call, id);
    return id;
  };
}
