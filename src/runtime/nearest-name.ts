// Finds the known name that somebody meant who misspelt it.

// Names are short. A longer text is not a misspelling, and its sender must not choose what a comparison costs.
const NAME_CHARACTERS_MAX = 64;

/**
 * The known name nearest to `given`, by the number of letters to insert, drop, change or swap, without regard to case or
 * underscores. Undefined when none is near: at most one letter in three may differ.
 */
export function nearestName(given: string, known: Iterable<string>): string | undefined {
  if (given.length > NAME_CHARACTERS_MAX) {
    return undefined;
  }
  const folded = fold(given);
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(folded.length / 3)) + 1;
  for (const name of known) {
    const candidate = fold(name);
    // Each letter too many or too few is one to drop or insert.
    const distance = Math.abs(candidate.length - folded.length) < least ? editDistance(folded, candidate) : least;
    if (distance < least) {
      nearest = name;
      least = distance;
    }
  }
  return nearest;
}

const fold = (name: string): string => name.toLowerCase().replaceAll("_", "");

// Optimal string alignment: three rows of the usual table are enough.
function editDistance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const row = [i];
    for (let j = 1; j <= right.length; j++) {
      const same = left[i - 1] === right[j - 1];
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]) {
        cost = Math.min(cost, at(beforeLast, j - 2) + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, right.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY;
