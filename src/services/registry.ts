// All services. A new service needs a line here; the compiler requires it as soon as its proto exists.
import type { DescService } from "@bufbuild/protobuf";
import { SERVICE_NAMES, type ServiceName } from "../catalogue/service-names.ts";
import type { Environment } from "../config/environment.ts";
import { BITCOIN } from "./bitcoin/definition.ts";
import type { ServiceContext, ServiceDefinition, UpstreamGroup } from "./definition.ts";
import { FARKLE } from "./farkle/definition.ts";
import { RADIO } from "./radio/definition.ts";
import type { DataService } from "./service.ts";
import { TOKEN_LIST } from "./tokenlist/definition.ts";
import { TOKEN_PRICE } from "./tokenprice/definition.ts";

const SERVICES = {
  radio: RADIO,
  "token-price": TOKEN_PRICE,
  "token-list": TOKEN_LIST,
  bitcoin: BITCOIN,
  farkle: FARKLE,
} as const satisfies Record<ServiceName, unknown>;

/** Each service's settings. */
export type ServiceConfigs = { readonly [Name in ServiceName]: ReturnType<(typeof SERVICES)[Name]["readConfig"]> };

// The same, in a type that ties a service's settings to its name.
const DEFINITIONS: { readonly [Name in ServiceName]: ServiceDefinition<ServiceConfigs[Name]> } = SERVICES;

export const readServiceConfigs = (environment: Environment): ServiceConfigs =>
  Object.fromEntries(SERVICE_NAMES.map((name) => [name, DEFINITIONS[name].readConfig(environment)])) as unknown as ServiceConfigs;

export interface SharedServiceContext extends Omit<ServiceContext, "observer"> {
  /** The observer of requests to a service's upstreams; undefined if there is none. */
  readonly observerOf?: ((name: ServiceName) => ServiceContext["observer"]) | undefined;
}

/** Creates every service, in the order of their names. */
export function createServices(
  configs: ServiceConfigs,
  { observerOf, ...serviceContext }: SharedServiceContext,
): Promise<readonly DataService[]> {
  const create = <Name extends ServiceName>(name: Name): Promise<DataService> =>
    DEFINITIONS[name].create(configs[name], { ...serviceContext, observer: observerOf?.(name) });
  return Promise.all(SERVICE_NAMES.map(create));
}

/** A group of upstreams, and the service that uses it. */
export interface ServiceUpstreams extends UpstreamGroup {
  readonly service: ServiceName;
}

export function upstreamGroups(configs: ServiceConfigs): readonly ServiceUpstreams[] {
  const groupsOf = <Name extends ServiceName>(service: Name): readonly ServiceUpstreams[] =>
    DEFINITIONS[service].upstreams(configs[service]).map((group) => ({ service, ...group }));
  return SERVICE_NAMES.flatMap((name) => groupsOf(name));
}

/** Every service as its proto describes it, in the order of their names. */
export const loadContracts = (): Promise<readonly DescService[]> =>
  Promise.all(SERVICE_NAMES.map((name) => DEFINITIONS[name].loadContract()));
