// Takes one page of the matches of a search, best first.

export interface Matches {
  readonly total: number;
  /** Token numbers, best match first. */
  readonly page: readonly number[];
}

/** How well tokens match: lower classes come first, and tokens of the same class are sorted by number. */
interface MatchClasses {
  /** The class of each token; `count` or more for a token that does not match. */
  readonly of: Uint16Array;
  /** How many classes there are. */
  readonly count: number;
}

// More matches than this are counted by class instead of sorted.
const SORTED_MAX = 256;

/** The page of `limit` matches from `offset` on. */
export function pageOf(matched: Uint32Array, classes: MatchClasses, offset: number, limit: number): Matches {
  const total = matched.length;
  if (total <= SORTED_MAX) {
    // The class and the token together fit into the 53 bits of a number.
    const keys = Float64Array.from(matched, (token) => (classes.of[token] as number) * 2 ** 32 + token).sort();
    return { total, page: Array.from(keys.subarray(offset, offset + limit), (key) => key % 2 ** 32) };
  }
  const page = new Array<number>(Math.max(0, Math.min(limit, total - offset)));
  // Class → the position of its next token among all matches.
  const places = new Uint32Array(classes.count + 1);
  for (const token of matched) {
    const next = (classes.of[token] as number) + 1;
    places[next] = (places[next] as number) + 1;
  }
  for (let at = 1; at < places.length; at += 1) {
    places[at] = (places[at] as number) + (places[at - 1] as number);
  }
  let left = page.length;
  for (let token = 0; left > 0; token += 1) {
    const matchClass = classes.of[token] as number;
    if (matchClass < classes.count) {
      const place = places[matchClass] as number;
      places[matchClass] = place + 1;
      if (place >= offset && place - offset < page.length) {
        page[place - offset] = token;
        left -= 1;
      }
    }
  }
  return { total, page };
}
