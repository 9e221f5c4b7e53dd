// The radio service: internet radio stations, from the mirrors of Radio Browser.
import type { ServiceDefinition } from "../definition.ts";
import { type RadioConfig, readRadioConfig } from "./config.ts";

export const RADIO: ServiceDefinition<RadioConfig> = {
  readConfig: readRadioConfig,
  loadContract: async () => (await import("../../../gen/quintet/radio/v1/radio_pb.js")).RadioService,
  async create(config, tools) {
    const { createRadio } = await import("./service.ts");
    const { systemNameResolver } = await import("./name-resolver.ts");
    return createRadio({ ...tools, config, resolver: systemNameResolver() });
  },
  async startStandIns({ clock }) {
    const { startRadioStandIns } = await import("./stand-in/mirrors.ts");
    const { startStreamsStandIn } = await import("./stand-in/streams.ts");
    const streams = await startStreamsStandIn({ clock });
    const mirrors = await startRadioStandIns({ clock, streams: streams.origin });
    return {
      standIns: [...mirrors, streams],
      variables: {
        QUINTET_RADIO_SRV: "none",
        // So that a person who makes a mirror fail sees what the next call does, and not what the last one found.
        QUINTET_RADIO_FRESH_MS: "0",
        QUINTET_RADIO_MIRRORS: mirrors.map(({ origin }) => origin).join(","),
      },
    };
  },
};
