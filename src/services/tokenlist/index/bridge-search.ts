// Follows links from one token to its addresses on other chains, over several links, nearest first. Limited, because lists are
// untrusted: a call must not cost more than a search.

import { tokenKey } from "../../chains/addresses.ts";
import { areOnDifferentNetworks } from "../../chains/chains.ts";
import type { BridgeLinks, Link } from "./bridge-links.ts";
import type { Place } from "./place-table.ts";

export interface ReachedPlace {
  readonly place: Place;
  /** The number of links on the path from the start. */
  readonly hops: number;
  /** The last link of each shortest path. */
  readonly links: readonly Link[];
}

export interface Reach {
  /** Fewest hops first, then by chain id and address. */
  readonly places: readonly ReachedPlace[];
  /** Whether the search stopped at its limits. */
  readonly hasMore: boolean;
}

/** A place whose links are still being collected. */
interface PlaceInSearch {
  readonly place: Place;
  readonly hops: number;
  readonly links: Link[];
}

const PLACES_MAX = 100;
const LINKS_PER_PLACE_MAX = 10;
// The most links followed for one response. Real responses need a few hundred at most.
const LINKS_FOLLOWED_MAX = 2_000;

/**
 * The places on other chains. A path may lead through the start's own chain, but never from a real chain to a test network or
 * back.
 */
export function reachFrom(start: Place, links: Pick<BridgeLinks, "from">): Reach {
  const found = new Map<string, PlaceInSearch>([[tokenKey(start.chainId, start.address), { place: start, hops: 0, links: [] }]]);
  let followed = 0;
  let hasMore = false;
  // A map is iterated in insertion order, including what is added in the meantime: breadth first.
  for (const from of found.values()) {
    for (const { place, link } of links.from(from.place)) {
      followed += 1;
      if (followed > LINKS_FOLLOWED_MAX) {
        return { places: onOtherChains(start, found.values()), hasMore: true };
      }
      const key = tokenKey(place.chainId, place.address);
      const known = found.get(key);
      if (known === undefined && !areOnDifferentNetworks(start.chainId, place.chainId)) {
        hasMore ||= found.size > PLACES_MAX;
        if (!hasMore) {
          found.set(key, { place, hops: from.hops + 1, links: [link] });
        }
      } else if (known?.hops === from.hops + 1) {
        addLink(known.links, link);
      }
    }
  }
  return { places: onOtherChains(start, found.values()), hasMore };
}

// A link that a list gives from both ends is counted once. The version that names the bridge is kept.
function addLink(links: Link[], link: Link): void {
  const same = links.findIndex(
    ({ listIndex, kind, via }) =>
      listIndex === link.listIndex && kind === link.kind && via.chainId === link.via.chainId && via.address === link.via.address,
  );
  if (same === -1 && links.length < LINKS_PER_PLACE_MAX) {
    links.push(link);
  } else if (links[same]?.bridge === undefined && link.bridge !== undefined) {
    links[same] = link;
  }
}

function onOtherChains(start: Place, found: Iterable<PlaceInSearch>): ReachedPlace[] {
  return [...found]
    .filter(({ place }) => place.chainId !== start.chainId)
    .sort((a, b) => a.hops - b.hops || a.place.chainId - b.place.chainId || (a.place.address < b.place.address ? -1 : 1));
}
