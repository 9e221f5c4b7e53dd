// Where the next page of a list begins. What a source returns may be merged or left out, so a page may have fewer than `limit` results.

/** The largest `offset` that requests may have. */
const OFFSET_MAX = 100_000;

/** Where the page after this one begins, if another follows. */
export function following(hasMore: boolean, offset: number, limit: number): { nextOffset?: number } {
  const next = offset + limit;
  return hasMore && next <= OFFSET_MAX ? { nextOffset: next } : {};
}
