// A first call for each service, which works with any key that may call the service.
import { hasUpstreams, SERVICE_NAMES, SERVICES, type ServiceName } from "../../src/catalogue/service-names.ts";

/** The call as a command for a shell, with the key as it is or as a variable. */
export const curlOf = (service: ServiceName, key: string): string =>
  `curl -sS --fail-with-body \\\n  -H "x-gateway-key: ${key}" \\\n  '${location.origin}${SERVICES[service].firstCall}'`;

// Services without upstreams come first: they work even if no upstream can be reached.
const ORDER: readonly ServiceName[] = SERVICE_NAMES.toSorted((a, b) => Number(hasUpstreams(a)) - Number(hasUpstreams(b)));

/** The service to show: one of `subscribed` if the key may call it, or else any of `services`. Empty `services`: the key may call all. */
export function serviceToTry(services: readonly string[], subscribed: readonly string[]): ServiceName {
  const allowed = ORDER.filter((service) => services.length === 0 || services.includes(service));
  return allowed.find((service) => subscribed.includes(service)) ?? allowed[0] ?? (ORDER[0] as ServiceName);
}
