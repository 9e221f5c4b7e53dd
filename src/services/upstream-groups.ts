// Where the services' data come from, for who wants to know whether it can be reached.
import type { ServiceName } from "../catalogue/service-names.ts";
import type { ServiceConfigs } from "./registry.ts";

/** Addresses of which one is enough. */
export interface UpstreamGroup {
  readonly service: ServiceName;
  /** What is there, such as `prices`. */
  readonly name: string;
  /** At least one. */
  readonly urls: readonly string[];
}

/** All upstreams of all services, as they are configured. Farkle has none. */
export function upstreamGroups(configs: ServiceConfigs): readonly UpstreamGroup[] {
  const { radio, "token-price": tokenPrice, "token-list": tokenList, bitcoin } = configs;
  return [
    { service: "radio", name: "directory", urls: radio.mirrors },
    { service: "token-price", name: "prices", urls: [tokenPrice.url] },
    ...tokenList.lists.map(({ name, urls }): UpstreamGroup => ({ service: "token-list", name, urls })),
    { service: "bitcoin", name: "charts", urls: [bitcoin.chartsUrl] },
    { service: "bitcoin", name: "prices", urls: bitcoin.prices.map(({ url }) => url) },
  ];
}
