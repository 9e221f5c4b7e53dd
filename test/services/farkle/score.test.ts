import { describe, expect, test } from "vitest";
import { Combination } from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import { scoreRoll } from "../../../src/services/farkle/score.ts";
import { bruteForceScore, distinctRolls } from "./brute-force.ts";

describe("the best split of a roll", () => {
  // The rolls where rules overlap, with the totals of the published ruleset (three 1s worth 1000, four and a pair as three pairs).
  test.each<[string, number]>([
    ["111555", 2500],
    ["123456", 1500],
    ["66623", 600],
    ["1111", 1100],
    ["1115", 1050],
    ["11115", 1150],
    ["111146", 1100],
    ["111145", 1150],
    ["111155", 1500],
    ["115555", 1500],
    ["111166", 1500],
    ["222211", 1500],
    ["222255", 1500],
    ["222266", 1500],
    ["222215", 1150],
    ["111222", 2500],
    ["333555", 2500],
    ["111355", 1100],
    ["11111", 2000],
    ["111115", 2050],
    ["155555", 2100],
    ["111111", 3000],
    ["555555", 3000],
    ["112233", 1500],
    ["222234", 1000],
    ["223346", 0],
  ])("of %s is worth %i", (roll, points) => {
    expect(scoreRoll([...roll].map(Number)).points).toBe(points);
  });

  test("lists each combination with its dice, most points first, and the dead dice", () => {
    expect(scoreRoll([2, 6, 1, 6, 5, 6])).toEqual({
      points: 750,
      combinations: [
        { combination: Combination.THREE_OF_A_KIND, dice: [6, 6, 6], points: 600 },
        { combination: Combination.SINGLE_ONE, dice: [1], points: 100 },
        { combination: Combination.SINGLE_FIVE, dice: [5], points: 50 },
      ],
      deadDice: [2],
    });
  });

  test("of a farkle has no combinations and only dead dice", () => {
    expect(scoreRoll([6, 4, 3, 3, 2, 2])).toEqual({ points: 0, combinations: [], deadDice: [2, 2, 3, 3, 4, 6] });
  });

  test("does not depend on the order of the dice", () => {
    expect(scoreRoll([5, 1, 4, 2, 6, 3])).toEqual(scoreRoll([1, 2, 3, 4, 5, 6]));
  });
});

describe("every distinct roll of one to six dice", () => {
  const rolls = distinctRolls();

  test("is one of 923", () => {
    expect(rolls).toHaveLength(923);
  });

  test("scores the same as an independent brute force over all partitions of its dice", () => {
    const wrong = rolls.filter((roll) => {
      const { points, combinations, deadDice } = scoreRoll(roll);
      const expected = bruteForceScore(roll);
      const dice = [...combinations.flatMap((scored) => scored.dice), ...deadDice].toSorted();
      const sum = combinations.reduce((total, scored) => total + scored.points, 0);
      return (
        points !== expected.points ||
        combinations.length !== expected.combinationCount ||
        sum !== points ||
        dice.join() !== roll.toSorted().join()
      );
    });
    expect(wrong).toEqual([]);
  });

  // Published for this ruleset: of all rolls, how many score nothing, and the mean score.
  const allRolls = (dice: number): number[][] =>
    Array.from({ length: 6 ** dice }, (_, index) =>
      Array.from({ length: dice }, (_each, place) => (Math.floor(index / 6 ** place) % 6) + 1),
    );

  test.each([
    [1, 4],
    [2, 16],
    [3, 60],
    [4, 204],
    [5, 600],
    [6, 1080],
  ])("has the known odds of a farkle: with %i dice, %i rolls score nothing", (dice, farkles) => {
    expect(allRolls(dice).filter((roll) => scoreRoll(roll).points === 0)).toHaveLength(farkles);
  });

  test("has the known mean score of six dice, 425.186", () => {
    const total = allRolls(6).reduce((sum, roll) => sum + scoreRoll(roll).points, 0);
    expect(total / 6 ** 6).toBeCloseTo(425.186, 3);
  });
});
