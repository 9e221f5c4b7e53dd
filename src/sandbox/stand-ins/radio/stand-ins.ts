// The stand-ins of the radio service: the directory's mirrors, and the streams of its stations.
import type { StandInContext, StandIns } from "../stand-in.ts";
import { startRadioStandIns } from "./mirrors.ts";
import { startStreamsStandIn } from "./streams.ts";

export async function startStandIns({ clock }: StandInContext): Promise<StandIns> {
  const streams = await startStreamsStandIn({ clock });
  const mirrors = await startRadioStandIns({ clock, streams: streams.origin });
  return {
    standIns: [...mirrors, streams],
    variables: {
      QUINTET_RADIO_SRV: "none",
      // If a person makes a mirror fail, they see the effect on the next call instead of a cached response.
      QUINTET_RADIO_FRESH_MS: "0",
      QUINTET_RADIO_MIRRORS: mirrors.map(({ origin }) => origin).join(","),
    },
  };
}
