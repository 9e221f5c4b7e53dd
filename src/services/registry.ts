// All services. A new one is a line here and its name in catalogue/service-names.ts; the compiler asks for one where it finds the
// other.
import type { DescService } from "@bufbuild/protobuf";
import { SERVICE_NAMES, type ServiceName } from "../catalogue/service-names.ts";
import type { Environment } from "../config/environment.ts";
import { BITCOIN } from "./bitcoin/definition.ts";
import type { ServiceDefinition, ServiceTools, StandIns, StandInTools } from "./definition.ts";
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

/** Reads the settings of every service. */
export const readServiceConfigs = (environment: Environment): ServiceConfigs =>
  Object.fromEntries(SERVICE_NAMES.map((name) => [name, DEFINITIONS[name].readConfig(environment)])) as unknown as ServiceConfigs;

/** What all services are made with. */
export interface SharedServiceTools extends Omit<ServiceTools, "observer"> {
  /** Who hears of the requests to a service's upstreams; undefined where nobody does. */
  readonly observerOf?: ((name: ServiceName) => ServiceTools["observer"]) | undefined;
}

/** Makes every service, in the order of their names. */
export function createServices(
  configs: ServiceConfigs,
  { observerOf, ...tools }: SharedServiceTools,
): Promise<readonly DataService[]> {
  const create = <Name extends ServiceName>(name: Name): Promise<DataService> =>
    DEFINITIONS[name].create(configs[name], { ...tools, observer: observerOf?.(name) });
  return Promise.all(SERVICE_NAMES.map(create));
}

/** Every service as its proto describes it, in the order of their names. */
export const loadContracts = (): Promise<readonly DescService[]> =>
  Promise.all(SERVICE_NAMES.map((name) => DEFINITIONS[name].loadContract()));

/** Starts the stand-ins of every service, in the order of their names. */
export async function startAllStandIns(tools: StandInTools): Promise<StandIns> {
  const all = await Promise.all(SERVICE_NAMES.map((name) => DEFINITIONS[name].startStandIns(tools)));
  return {
    standIns: all.flatMap(({ standIns }) => standIns),
    variables: Object.assign({}, ...all.map(({ variables }) => variables)),
  };
}
