// The links between addresses of the same token on several chains, according to the lists. They can be followed from either end.
// A list may have ten links for each of its tokens, so links are stored as numbers, and objects are created only for those that are
// followed.
import { areOnDifferentNetworks, networkOf } from "../../chains/chains.ts";
import type { Yielder } from "../cooperative-yield.ts";
import { allEntries, type CheckedList } from "../lists/checked-list.ts";
import type { BridgeFact } from "../lists/extensions.ts";
import { groupNumbers, NumberList } from "../number-list.ts";
import type { Place, PlaceTable } from "./place-table.ts";

/** One list's claim that two places are the same token. */
export interface Link {
  readonly listIndex: number;
  readonly kind: BridgeFact["kind"] | "opTokenId";
  /** The place at the other end. */
  readonly via: Place;
  /** The bridge's contract on this end's chain, in the form of `plainAddress`. */
  readonly bridge?: string | undefined;
  /** The bridge's contract on the other end's chain, in the form of `plainAddress`. */
  readonly viaBridge?: string | undefined;
}

/** A place at the other end of a link, and the link as seen from there. */
interface Neighbour {
  readonly place: Place;
  readonly link: Link;
}

export interface BridgeLinks {
  /** Whether any link touches the place. */
  has(place: Place): boolean;
  /** The places that links lead to from this one, on other chains; one for each link. */
  from(place: Place): Iterable<Neighbour>;
}

const KINDS: readonly BridgeFact["kind"][] = ["bridgeInfo", "l1Address"];

// The addresses of bridges, numbered, because each serves many tokens. Number 0 means no bridge.
class BridgeAddresses {
  readonly #numbers = new Map<string | undefined, number>([[undefined, 0]]);
  readonly #addresses: (string | undefined)[] = [undefined];

  numberOf(address: string | undefined): number {
    const known = this.#numbers.get(address) ?? this.#addresses.length;
    if (known === this.#addresses.length) {
      this.#numbers.set(address, known);
      this.#addresses.push(address);
    }
    return known;
  }

  /** The addresses, indexed by number. */
  get all(): readonly (string | undefined)[] {
    return this.#addresses;
  }
}

/**
 * Collects the links of all lists, yielding to the event loop now and then. A list that has not been read is undefined. Adds the places
 * at the ends of the links to `places`.
 */
export async function gatherBridgeLinks(
  lists: readonly (CheckedList | undefined)[],
  places: PlaceTable,
  turns: Yielder,
): Promise<BridgeLinks> {
  const bridges = new BridgeAddresses();
  // For each link: its ends, its list and kind, and the bridge at each end.
  const columns = {
    origins: new NumberList(),
    dests: new NumberList(),
    sources: new NumberList(),
    originBridges: new NumberList(),
    destBridges: new NumberList(),
  };
  // For each end of a link: its place, and twice the number of the link, plus one at the destination.
  const [endPlaces, ends] = [new NumberList(), new NumberList()];
  const groups = await gatherGroups(lists, places, turns);
  for (const [listIndex, list] of lists.entries()) {
    for (const { chainId, address, bridges: facts = [] } of allEntries(list)) {
      for (const fact of facts) {
        // Test networks are not linked to real ones, whatever an entry says.
        if (areOnDifferentNetworks(chainId, fact.chainId)) {
          continue;
        }
        const number = columns.origins.length;
        const [origin, dest] = [places.add({ chainId, address }), places.add(fact)];
        columns.origins.push(origin);
        columns.dests.push(dest);
        columns.sources.push(listIndex * KINDS.length + KINDS.indexOf(fact.kind));
        columns.originBridges.push(bridges.numberOf(fact.originBridge));
        columns.destBridges.push(bridges.numberOf(fact.destBridge));
        endPlaces.push(origin);
        ends.push(2 * number);
        endPlaces.push(dest);
        ends.push(2 * number + 1);
      }
      if (turns.due()) {
        await turns.next();
      }
    }
  }
  const byPlace = await groupNumbers(places.size, endPlaces, ends, turns);
  const [origins, dests, sources] = [columns.origins.toArray(), columns.dests.toArray(), columns.sources.toArray()];
  const [originBridges, destBridges] = [columns.originBridges.toArray(), columns.destBridges.toArray()];
  const bridgeOf = (numbers: Uint32Array, link: number): string | undefined => bridges.all[numbers[link] as number];

  // Follows a link from `place`, which is at one of its ends, to the other end.
  const follow = (end: number, place: Place): Neighbour => {
    const link = end >>> 1;
    const isOrigin = end % 2 === 0;
    const other = places.at((isOrigin ? dests : origins)[link] as number);
    const source = sources[link] as number;
    const kind = KINDS[source % KINDS.length] as BridgeFact["kind"];
    return {
      place: other,
      link: {
        listIndex: Math.floor(source / KINDS.length),
        kind,
        via: place,
        bridge: bridgeOf(isOrigin ? destBridges : originBridges, link),
        viaBridge: bridgeOf(isOrigin ? originBridges : destBridges, link),
      },
    };
  };

  return {
    has(place) {
      const number = places.numberOf(place);
      return number !== undefined && ((byPlace.starts[number + 1] ?? 0) > (byPlace.starts[number] ?? 0) || groups.has(number));
    },
    *from(place) {
      const number = places.numberOf(place);
      if (number === undefined) {
        return;
      }
      const to = byPlace.starts[number + 1] ?? 0;
      for (let at = byPlace.starts[number] ?? 0; at < to; at += 1) {
        yield follow(byPlace.values[at] as number, place);
      }
      for (const { listIndex, member } of groups.groupMembersOf(number)) {
        const other = places.at(member);
        if (other.chainId !== place.chainId) {
          yield { place: other, link: { listIndex, kind: "opTokenId", via: place } };
        }
      }
    },
  };
}

/** The groups of tokens that lists say are the same. */
interface Groups {
  has(place: number): boolean;
  /** All members of the place's groups, including the place itself, each with the list that says so. */
  groupMembersOf(place: number): Iterable<{ readonly listIndex: number; readonly member: number }>;
}

async function gatherGroups(lists: readonly (CheckedList | undefined)[], places: PlaceTable, turns: Yielder): Promise<Groups> {
  const numbers = new Map<string, number>();
  const listOf = new NumberList();
  const [memberPlaces, memberGroups] = [new NumberList(), new NumberList()];
  for (const [listIndex, list] of lists.entries()) {
    // The pairs of group and place that this list has already added.
    const known = new Set<string>();
    for (const { chainId, address, bridgeGroup } of allEntries(list)) {
      if (bridgeGroup !== undefined) {
        // Test networks reuse the group names of real networks.
        const key = `${listIndex} ${networkOf(chainId)} ${bridgeGroup}`;
        const group = numbers.get(key) ?? listOf.length;
        if (group === listOf.length) {
          numbers.set(key, group);
          listOf.push(listIndex);
        }
        const place = places.add({ chainId, address });
        const membership = `${group} ${place}`;
        if (!known.has(membership)) {
          known.add(membership);
          memberPlaces.push(place);
          memberGroups.push(group);
        }
      }
      if (turns.due()) {
        await turns.next();
      }
    }
  }
  const groupsOf = await groupNumbers(places.size, memberPlaces, memberGroups, turns);
  const membersOf = await groupNumbers(listOf.length, memberGroups, memberPlaces, turns);
  return {
    has: (place) => (groupsOf.starts[place + 1] ?? 0) > (groupsOf.starts[place] ?? 0),
    *groupMembersOf(place) {
      const groupsEnd = groupsOf.starts[place + 1] ?? 0;
      for (let at = groupsOf.starts[place] ?? 0; at < groupsEnd; at += 1) {
        const group = groupsOf.values[at] as number;
        const membersEnd = membersOf.starts[group + 1] as number;
        for (let member = membersOf.starts[group] as number; member < membersEnd; member += 1) {
          yield { listIndex: listOf.at(group), member: membersOf.values[member] as number };
        }
      }
    },
  };
}
