// The rules of Farkle as data, and the best way to split a roll under them. Pure: a roll in, a score out.
import { Combination } from "../../../gen/quintet/farkle/v1/farkle_pb.js";

/** One combination of a split, with its faces in ascending order and its points. */
export interface Scored {
  readonly combination: Combination;
  readonly dice: readonly number[];
  readonly points: number;
}

/** The best split of a roll. */
export interface Split {
  readonly points: number;
  /** Most points first, then by lowest face. */
  readonly combinations: readonly Scored[];
  /** The faces that no combination uses, in ascending order. */
  readonly deadDice: readonly number[];
}

const FACES = [1, 2, 3, 4, 5, 6] as const;

const ofAKind = (combination: Combination, count: number, points: (face: number) => number): Scored[] =>
  FACES.map((face) => ({ combination, dice: Array<number>(count).fill(face), points: points(face) }));

// Faces may repeat: four of a kind with a pair is three pairs, and six of a kind is both three pairs and two triplets. The
// higher total decides which of them is scored.
const pairsOf = (first: number): number[][] =>
  FACES.filter((second) => second >= first).flatMap((second) =>
    FACES.filter((third) => third >= second).map((third) => [first, first, second, second, third, third]),
  );

const tripletsOf = (first: number): number[][] =>
  FACES.filter((second) => second >= first).map((second) => [first, first, first, second, second, second]);

/** Every scoring combination, for every face it can have. */
const COMBINATIONS: readonly Scored[] = [
  { combination: Combination.SINGLE_ONE, dice: [1], points: 100 },
  { combination: Combination.SINGLE_FIVE, dice: [5], points: 50 },
  ...ofAKind(Combination.THREE_OF_A_KIND, 3, (face) => (face === 1 ? 1000 : face * 100)),
  ...ofAKind(Combination.FOUR_OF_A_KIND, 4, () => 1000),
  ...ofAKind(Combination.FIVE_OF_A_KIND, 5, () => 2000),
  ...ofAKind(Combination.SIX_OF_A_KIND, 6, () => 3000),
  { combination: Combination.STRAIGHT, dice: [...FACES], points: 1500 },
  ...FACES.flatMap(pairsOf).map((dice) => ({ combination: Combination.THREE_PAIRS, dice, points: 1500 })),
  ...FACES.flatMap(tripletsOf).map((dice) => ({ combination: Combination.TWO_TRIPLETS, dice, points: 2500 })),
];

/** The dice that remain after `used` is removed, both ascending; undefined if `dice` does not contain all of `used`. */
function without(dice: readonly number[], used: readonly number[]): number[] | undefined {
  const left: number[] = [];
  let next = 0;
  for (const face of dice) {
    if (face === used[next]) {
      next += 1;
    } else {
      left.push(face);
    }
  }
  return next === used.length ? left : undefined;
}

// One entry for each of the 923 distinct rolls and the empty one, filled on demand.
const bestSplits = new Map<number, Split>();

// A key for a roll in any order: the count of each face, as the digits of a number in base 8.
function keyOf(dice: readonly number[]): number {
  let name = 0;
  for (const face of dice) {
    name += 1 << (3 * face);
  }
  return name;
}

function bestSplitOf(dice: readonly number[]): Split {
  const known = bestSplits.get(keyOf(dice));
  if (known !== undefined) {
    return known;
  }
  let best: Split = { points: 0, combinations: [], deadDice: dice };
  for (const scored of COMBINATIONS) {
    const left = without(dice, scored.dice);
    if (left === undefined) {
      continue;
    }
    const rest = bestSplitOf(left);
    const points = scored.points + rest.points;
    const isFewer = rest.combinations.length + 1 < best.combinations.length;
    if (points > best.points || (points === best.points && isFewer)) {
      best = { points, combinations: [scored, ...rest.combinations], deadDice: rest.deadDice };
    }
  }
  const combinations = best.combinations.toSorted((a, b) => b.points - a.points || (a.dice[0] ?? 0) - (b.dice[0] ?? 0));
  const split = { ...best, combinations };
  bestSplits.set(keyOf(dice), split);
  return split;
}

/** The best split of 1 to 6 dice, faces 1 to 6, in any order: the highest total and, among equal totals, the fewest combinations. */
export function scoreRoll(dice: readonly number[]): Split {
  return bestSplits.get(keyOf(dice)) ?? bestSplitOf(dice.toSorted());
}
