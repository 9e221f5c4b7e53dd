// Finds the known name that is closest to a misspelt one.

// Names are short. A longer string is not a misspelling, and its sender must not control the cost of a comparison.
const NAME_CHARACTERS_MAX = 64;
/** With more mistakes than this, it is a different name, however long it is. */
const MISTAKES_MAX = 5;

/**
 * The known name nearest to `given`, by the number of letters to insert, drop, change or swap, ignoring case and underscores.
 * Undefined if none is near: at most one letter in three may differ, and at most five.
 */
export function nearestName(given: string, known: Iterable<string>): string | undefined {
  if (given.length > NAME_CHARACTERS_MAX) {
    return undefined;
  }
  const folded = fold(given);
  let nearest: string | undefined;
  let least = Math.min(MISTAKES_MAX, Math.max(1, Math.floor(folded.length / 3))) + 1;
  for (const name of known) {
    const candidate = fold(name);
    if (candidate.length > NAME_CHARACTERS_MAX || Math.abs(candidate.length - folded.length) >= least) {
      continue;
    }
    const distance = editDistance(folded, candidate, least - 1);
    if (distance < least) {
      nearest = name;
      least = distance;
    }
  }
  return nearest;
}

/** The end of an error's sentence: `; did you mean pro?`, or nothing if no known name is near. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const nearest = nearestName(given, known);
  return nearest === undefined ? "" : `; did you mean ${nearest}?`;
}

const fold = (name: string): string => name.toLowerCase().replaceAll("_", "");

// Rows of the table below. A comparison never reads what an earlier one left in them.
const ROW_LENGTH = NAME_CHARACTERS_MAX + 2;
let beforeLast = new Uint8Array(ROW_LENGTH);
let last = new Uint8Array(ROW_LENGTH);
let row = new Uint8Array(ROW_LENGTH);

/**
 * The optimal string alignment distance if it is at most `max`, otherwise a larger number. It needs only three rows of the usual
 * table, and of each only the cells at most `max` from the diagonal: further away, the distance is greater.
 */
function editDistance(left: string, right: string, max: number): number {
  const [from, leftEnd, rightEnd] = differingPart(left, right);
  const [rows, columns] = [leftEnd - from, rightEnd - from];
  const beyond = max + 1;
  last.fill(beyond);
  for (let j = 0; j <= Math.min(columns, max); j += 1) {
    last[j] = j;
  }
  for (let i = 1; i <= rows; i += 1) {
    const first = Math.max(1, i - max);
    const final = Math.min(columns, i + max);
    row[first - 1] = first === 1 ? Math.min(i, beyond) : beyond;
    let leastInRow = row[first - 1] as number;
    const letter = left.charCodeAt(from + i - 1);
    for (let j = first; j <= final; j += 1) {
      const other = right.charCodeAt(from + j - 1);
      const same = (last[j - 1] as number) + (letter === other ? 0 : 1);
      let cost = Math.min(same, (last[j] as number) + 1, (row[j - 1] as number) + 1, beyond);
      const isSwapped = i > 1 && j > 1 && letter === right.charCodeAt(from + j - 2) && left.charCodeAt(from + i - 2) === other;
      if (isSwapped) {
        cost = Math.min(cost, (beforeLast[j - 2] as number) + 1);
      }
      row[j] = cost;
      leastInRow = Math.min(leastInRow, cost);
    }
    if (final < columns) {
      row[final + 1] = beyond;
    }
    // Later rows are over `max` too. Even a swap, which skips this row, costs one more than the row before, and that is at least `max`.
    if (leastInRow > max) {
      return beyond;
    }
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return last[columns] as number;
}

// Where two strings begin to differ, and where the difference ends in each.
function differingPart(left: string, right: string): readonly [from: number, leftEnd: number, rightEnd: number] {
  let [leftEnd, rightEnd] = [left.length, right.length];
  let from = 0;
  while (from < leftEnd && from < rightEnd && left.charCodeAt(from) === right.charCodeAt(from)) {
    from += 1;
  }
  while (leftEnd > from && rightEnd > from && left.charCodeAt(leftEnd - 1) === right.charCodeAt(rightEnd - 1)) {
    leftEnd -= 1;
    rightEnd -= 1;
  }
  return [from, leftEnd, rightEnd];
}
