// The handlers of FarkleService: the rules of score.ts, with the breakdown for callers whose plan includes it.
import {
  FarkleService,
  type ScoredCombination,
  ScoredCombinationSchema,
  type ScoreResponse,
  ScoreResponseSchema,
} from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import { entitlementsKey } from "../../catalogue/entitlements.ts";
import { frozen } from "../frozen.ts";
import type { DataService } from "../service.ts";
import { type Scored, type Split, scoreRoll } from "./score.ts";

// Messages are written out in full, with their type names, because having protobuf-es complete them is slower.
const messageOf = ({ combination, dice, points }: Scored): ScoredCombination => ({
  $typeName: ScoredCombinationSchema.typeName,
  combination,
  dice: [...dice],
  points,
});

const responseOf = ({ points, combinations, deadDice }: Split, hasBreakdown: boolean): ScoreResponse => ({
  $typeName: ScoreResponseSchema.typeName,
  score: points,
  farkle: points === 0,
  hotDice: deadDice.length === 0,
  breakdown: hasBreakdown ? combinations.map(messageOf) : [],
  deadDice: [...deadDice],
});

/** Has no upstream. Caches its responses, two for each of 923 rolls. */
export function createFarkle(): DataService<typeof FarkleService> {
  const withoutBreakdown = new Map<Split, ScoreResponse>();
  const withBreakdown = new Map<Split, ScoreResponse>();
  return {
    name: "farkle",
    desc: FarkleService,
    implementation: {
      score({ dice }, context) {
        const split = scoreRoll(dice);
        const { farkleBreakdown } = context.values.get(entitlementsKey);
        const responses = farkleBreakdown ? withBreakdown : withoutBreakdown;
        let response = responses.get(split);
        if (response === undefined) {
          response = frozen(responseOf(split, farkleBreakdown));
          responses.set(split, response);
        }
        return response;
      },
    },
    close: async () => {},
  };
}
