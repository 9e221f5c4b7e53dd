// Takes one page out of the matches of a search, best first, without sorting them all.
import { NETWORK_ORDER } from "./search-columns.ts";
import { RANK_COUNT } from "./search-rank.ts";

/** A page of matches. */
export interface Matches {
  readonly total: number;
  /** Numbers of tokens, best match first. */
  readonly page: readonly number[];
}

const NETWORK_COUNT = Object.keys(NETWORK_ORDER).length;

/**
 * The page of `limit` matches from `offset` on. A class is a network's order and a rank. Counts the matches of each class, and then
 * takes those whose place is on the page.
 */
export function pageOf(matched: Uint32Array, classOf: (token: number) => number, offset: number, limit: number): Matches {
  const total = matched.length;
  const places = new Uint32Array(NETWORK_COUNT * RANK_COUNT + 1);
  for (let at = 0; at < total; at += 1) {
    const next = classOf(matched[at] as number) + 1;
    places[next] = (places[next] as number) + 1;
  }
  for (let at = 1; at < places.length; at += 1) {
    places[at] = (places[at] as number) + (places[at - 1] as number);
  }
  const page = new Array<number>(Math.max(0, Math.min(limit, total - offset)));
  for (let at = 0; at < total; at += 1) {
    const token = matched[at] as number;
    const matchClass = classOf(token);
    const place = places[matchClass] as number;
    places[matchClass] = place + 1;
    if (place >= offset && place - offset < page.length) {
      page[place - offset] = token;
    }
  }
  return { total, page };
}
