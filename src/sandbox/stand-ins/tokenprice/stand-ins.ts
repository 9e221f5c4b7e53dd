// The stand-in of the token price service: the coins API.
import type { StandInContext, StandIns } from "../stand-in.ts";
import { startCoinsStandIn } from "./coins-stand-in.ts";

export async function startStandIns(context: StandInContext): Promise<StandIns> {
  const standIn = await startCoinsStandIn(context);
  return {
    standIns: [standIn],
    variables: {
      QUINTET_COINS_URL: standIn.origin,
      // The stand-in changes prices every few seconds, so a person who watches sees a new price each time.
      QUINTET_COINS_CACHE_MS: "2000",
    },
  };
}
