// The radio service: internet radio stations, from the mirrors of Radio Browser.
import type { ServiceDefinition } from "../definition.ts";
import { type RadioConfig, readRadioConfig } from "./config.ts";

export const RADIO: ServiceDefinition<RadioConfig> = {
  readConfig: readRadioConfig,
  upstreams: ({ mirrors }) => [{ name: "directory", urls: mirrors }],
  loadContract: async () => (await import("../../../gen/quintet/radio/v1/radio_pb.js")).RadioService,
  async create(config, serviceContext) {
    const { createRadio } = await import("./service.ts");
    const { systemNameResolver } = await import("./name-resolver.ts");
    return createRadio({ ...serviceContext, config, resolver: systemNameResolver() });
  },
};
