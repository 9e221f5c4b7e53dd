// FarkleService on the Connect router: the rules of score.ts, with the breakdown for those whose plan includes it.
import {
  FarkleService,
  type ScoredCombination,
  ScoredCombinationSchema,
  ScoreResponseSchema,
} from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import { entitlementsKey } from "../../catalogue/entitlements.ts";
import type { DataService } from "../service.ts";
import { type Scored, scoreRoll } from "./score.ts";

// Messages are written down whole, with their type names: to have protobuf-es complete them takes 0.4 µs of a call.
const messageOf = ({ combination, dice, points }: Scored): ScoredCombination => ({
  $typeName: ScoredCombinationSchema.typeName,
  combination,
  dice: [...dice],
  points,
});

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
          $typeName: ScoreResponseSchema.typeName,
          score: points,
          farkle: points === 0,
          hotDice: deadDice.length === 0,
          breakdown: farkleBreakdown ? combinations.map(messageOf) : [],
          deadDice: [...deadDice],
        };
      },
    },
    close: async () => {},
  };
}
