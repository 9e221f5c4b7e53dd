// A slow scorer that shares no code with the service: it groups the dice in every possible way (all set partitions), scores each group by
// its counts, and keeps the best.

/** What one group of dice is worth; 0 if it is not a combination. */
function groupPoints(group: readonly number[]): number {
  const counts = [1, 2, 3, 4, 5, 6].map((face) => group.filter((die) => die === face).length);
  const present = counts.filter((count) => count > 0);
  const worth: number[] = [0];
  if (group.length === 1) worth.push(group[0] === 1 ? 100 : group[0] === 5 ? 50 : 0);
  if (present.length === 1) {
    if (group.length === 3) worth.push(group[0] === 1 ? 1000 : 100 * Number(group[0]));
    if (group.length === 4) worth.push(1000);
    if (group.length === 5) worth.push(2000);
    if (group.length === 6) worth.push(3000);
  }
  if (group.length === 6) {
    if (counts.every((count) => count === 1)) worth.push(1500);
    if (counts.every((count) => count % 2 === 0)) worth.push(1500);
    if (counts.every((count) => count % 3 === 0)) worth.push(2500);
  }
  return Math.max(...worth);
}

interface Best {
  readonly points: number;
  /** The fewest scoring groups among the splits with this total. */
  readonly combinationCount: number;
}

/** The best total over all partitions of the dice, and the fewest combinations that reach it. */
export function bruteForceScore(dice: readonly number[]): Best {
  let best: Best = { points: 0, combinationCount: 0 };
  const place = (index: number, groups: number[][]): void => {
    const die = dice[index];
    if (die === undefined) {
      const worths = groups.map(groupPoints).filter((points) => points > 0);
      const points = worths.reduce((total, worth) => total + worth, 0);
      if (points > best.points || (points === best.points && worths.length < best.combinationCount)) {
        best = { points, combinationCount: worths.length };
      }
      return;
    }
    for (const [at, group] of groups.entries()) {
      place(index + 1, groups.toSpliced(at, 1, [...group, die]));
    }
    place(index + 1, [...groups, [die]]);
  };
  place(0, []);
  return best;
}

/** The multisets of 1 to 6 dice, each ascending. */
export function distinctRolls(): number[][] {
  const rolls: number[][] = [];
  const extend = (roll: number[]): void => {
    if (roll.length > 0) rolls.push(roll);
    if (roll.length === 6) return;
    for (let face = roll.at(-1) ?? 1; face <= 6; face += 1) extend([...roll, face]);
  };
  extend([]);
  return rolls;
}
