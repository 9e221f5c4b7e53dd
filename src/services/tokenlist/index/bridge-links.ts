// The links between addresses of the same token on several chains, as the lists give them. They can be followed from either end.
import { areApart, networkOf } from "../../chains/chains.ts";
import { tokenKey } from "../address.ts";
import type { Yielder } from "../cooperative-yield.ts";
import { allEntries, type CheckedList } from "../lists/checked-list.ts";
import type { BridgeFact } from "../lists/extensions.ts";

/** An address on a chain, plain. */
export interface Place {
  readonly chainId: number;
  readonly address: string;
}

/** One list's claim that two places are the same token. */
export interface Link {
  readonly listIndex: number;
  readonly kind: BridgeFact["kind"] | "opTokenId";
  /** The place at the other end. */
  readonly via: Place;
  /** The bridge's contract on this end's chain, plain. */
  readonly bridge?: string | undefined;
  /** The bridge's contract on the other end's chain, plain. */
  readonly viaBridge?: string | undefined;
}

/** A place at the other end of a link. The link is described from there. */
interface Neighbour {
  readonly place: Place;
  readonly link: Link;
}

/** All links. */
export interface BridgeLinks {
  /** Whether any link touches the place. */
  has(place: Place): boolean;
  /** The places that links lead to from this one, on other chains; one for each link. */
  from(place: Place): Iterable<Neighbour>;
}

interface Group {
  readonly listIndex: number;
  readonly members: Place[];
}

const keyOf = ({ chainId, address }: Place): string => tokenKey(chainId, address);

/** Collects the links of all lists, in turns. A list that has not been read is undefined. */
export async function gatherBridgeLinks(lists: readonly (CheckedList | undefined)[], turns: Yielder): Promise<BridgeLinks> {
  const neighbours = new Map<string, Neighbour[]>();
  const groups = new Map<string, Group>();
  const groupsOf = new Map<string, Group[]>();
  for (const [listIndex, list] of lists.entries()) {
    for (const { chainId, address, bridges = [], bridgeGroup } of allEntries(list)) {
      const place = { chainId, address };
      for (const fact of bridges) {
        addFact(neighbours, listIndex, place, fact);
      }
      if (bridgeGroup !== undefined) {
        // Test networks reuse the group names of real networks.
        const groupKey = `${listIndex} ${networkOf(chainId)} ${bridgeGroup}`;
        const group = groups.get(groupKey) ?? { listIndex, members: [] };
        groups.set(groupKey, group);
        if (groupsOf.get(keyOf(place))?.includes(group) !== true) {
          group.members.push(place);
          pushTo(groupsOf, keyOf(place), group);
        }
      }
      if (turns.due()) {
        await turns.next();
      }
    }
  }
  return {
    has: (place) => neighbours.has(keyOf(place)) || groupsOf.has(keyOf(place)),
    *from(place) {
      yield* neighbours.get(keyOf(place)) ?? [];
      for (const { listIndex, members } of groupsOf.get(keyOf(place)) ?? []) {
        const link: Link = { listIndex, kind: "opTokenId", via: place };
        for (const member of members) {
          if (member.chainId !== place.chainId) {
            yield { place: member, link };
          }
        }
      }
    },
  };
}

// Test networks are not linked to real ones, whatever an entry names.
function addFact(neighbours: Map<string, Neighbour[]>, listIndex: number, origin: Place, fact: BridgeFact): void {
  const { kind, chainId, address, originBridge, destBridge } = fact;
  const dest = { chainId, address };
  if (areApart(origin.chainId, chainId)) {
    return;
  }
  pushTo(neighbours, keyOf(origin), {
    place: dest,
    link: { listIndex, kind, via: origin, bridge: destBridge, viaBridge: originBridge },
  });
  pushTo(neighbours, keyOf(dest), {
    place: origin,
    link: { listIndex, kind, via: dest, bridge: originBridge, viaBridge: destBridge },
  });
}

function pushTo<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values === undefined) {
    map.set(key, [value]);
  } else {
    values.push(value);
  }
}
