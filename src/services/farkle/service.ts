// FarkleService on the Connect router: the rules of score.ts, with the breakdown for those whose plan includes it.
import { FarkleService } from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import { entitlementsKey } from "../../catalogue/entitlements.ts";
import type { DataService } from "../service.ts";
import { scoreRoll } from "./score.ts";

/** The Farkle service. It has no upstream and keeps nothing. */
export function createFarkle(): DataService<typeof FarkleService> {
  return {
    name: "farkle",
    desc: FarkleService,
    implementation: {
      score({ dice }, context) {
        const { points, combinations, deadDice } = scoreRoll(dice);
        const { farkleBreakdown } = context.values.get(entitlementsKey);
        return {
          score: points,
          farkle: points === 0,
          hotDice: deadDice.length === 0,
          breakdown: farkleBreakdown ? combinations.map((scored) => ({ ...scored, dice: [...scored.dice] })) : [],
          deadDice: [...deadDice],
        };
      },
    },
    close: async () => {},
  };
}
