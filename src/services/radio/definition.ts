// The radio service: internet radio stations, from the mirrors of Radio Browser.
import type { ServiceDefinition } from "../definition.ts";
import { type RadioConfig, readRadioConfig } from "./config.ts";

export const RADIO: ServiceDefinition<RadioConfig> = {
  readConfig: readRadioConfig,
  upstreams: ({ mirrors }) => [
    {
      name: "directory",
      urls: mirrors,
      async check(url, fetchParsed) {
        const { COUNTRIES_QUERY } = await import("./directory-query.ts");
        const countries = await fetchParsed(url + COUNTRIES_QUERY.path, COUNTRIES_QUERY.parse);
        const stations = countries.reduce((sum, country) => sum + country.stations, 0);
        if (stations === 0) {
          throw new Error("has no stations");
        }
        return `${stations} stations in ${countries.length} countries`;
      },
    },
  ],
  loadContract: async () => (await import("../../../gen/quintet/radio/v1/radio_pb.js")).RadioService,
  async create(config, serviceContext) {
    const { createRadio } = await import("./service.ts");
    const { systemNameResolver } = await import("./name-resolver.ts");
    return createRadio({ ...serviceContext, config, resolver: systemNameResolver() });
  },
};
