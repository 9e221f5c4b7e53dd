// Counts the open connections from each address, so that one client can neither take all connections nor displace other clients.
import { LinkedList } from "../runtime/linked-list.ts";
import { TurnShare } from "./turn-budget.ts";

/** How many of the addresses with the most connections are searched for an idle one. */
const ADDRESSES_SEARCHED_MAX = 16;

// A provider gives each customer an IPv6 network of 2^64 addresses, so the whole network counts as one address.
function countedAddress(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
  const [head = "", tail] = plain.split("::");
  if (!plain.includes(":")) {
    return plain;
  }
  const groups = head === "" ? [] : head.split(":");
  // `::` stands for as many groups as are missing. If it leaves fewer than four for the network, the groups after it belong to the
  // network too.
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const left = tail === undefined ? 0 : 8 - groups.length - after.length;
  return [...groups, ...Array.from({ length: left }, () => "0"), ...after].slice(0, 4).join(":");
}

export class ConnectionsOfAddress<Connection> {
  readonly name: string;
  count = 0;
  /** Bytes of responses waiting to be read. */
  unsentBytes = 0;
  /** Bytes of requests that cannot be used yet. */
  heldInputBytes = 0;
  /** Its share of each turn of the event loop. */
  readonly turnShare = new TurnShare();
  /** Idle connections, the longest idle first. */
  readonly idle = new LinkedList<Connection>();

  constructor(name: string) {
    this.name = name;
  }
}

export class ConnectionsPerAddress<Connection> {
  readonly #byName = new Map<string, ConnectionsOfAddress<Connection>>();
  // The addresses by their number of connections; no set is empty. The largest number is always known, since it changes by one at a time.
  readonly #byCount = new Map<number, Set<ConnectionsOfAddress<Connection>>>();
  #most = 0;

  /** The connections from an address, perhaps none. */
  of(address: string): ConnectionsOfAddress<Connection> {
    const name = countedAddress(address);
    return this.#byName.get(name) ?? new ConnectionsOfAddress<Connection>(name);
  }

  opened(connections: ConnectionsOfAddress<Connection>): void {
    this.#byName.set(connections.name, connections);
    this.#count(connections, 1);
    this.#most = Math.max(this.#most, connections.count);
  }

  closed(connections: ConnectionsOfAddress<Connection>): void {
    this.#count(connections, -1);
    if (!this.#byCount.has(this.#most)) {
      this.#most -= 1;
    }
    if (connections.count === 0) {
      this.#byName.delete(connections.name);
    }
  }

  /** The longest idle connection from one of the addresses with the most connections, if these have more than `max` each. */
  longestIdleOver(max: number): Connection | undefined {
    let checked = 0;
    if (this.#most > max) {
      for (const { idle } of this.#byCount.get(this.#most) ?? []) {
        checked += 1;
        if (idle.first !== undefined || checked === ADDRESSES_SEARCHED_MAX) {
          return idle.first;
        }
      }
    }
    return undefined;
  }

  #count(connections: ConnectionsOfAddress<Connection>, change: 1 | -1): void {
    const before = this.#byCount.get(connections.count);
    if (before?.delete(connections) && before.size === 0) {
      this.#byCount.delete(connections.count);
    }
    connections.count += change;
    if (connections.count > 0) {
      const after = this.#byCount.get(connections.count) ?? new Set();
      this.#byCount.set(connections.count, after.add(connections));
    }
  }
}
