// The stand-in of the token list service: the lists' publishers.
import type { StandInContext, StandIns } from "../stand-in.ts";
import { startTokenListStandIn } from "./token-list-stand-in.ts";

export async function startStandIns(context: StandInContext): Promise<StandIns> {
  const { standIn, variables } = await startTokenListStandIn(context);
  return { standIns: [standIn], variables };
}
