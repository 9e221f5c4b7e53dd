// The stand-in of the token list service: the lists' publishers.
import type { StandIns, StandInTools } from "../stand-in.ts";
import { startTokenListStandIn } from "./token-list-stand-in.ts";

export async function startStandIns(tools: StandInTools): Promise<StandIns> {
  const { standIn, variables } = await startTokenListStandIn(tools);
  return { standIns: [standIn], variables };
}
