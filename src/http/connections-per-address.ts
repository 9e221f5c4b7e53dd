// The connections that are open from each address, so that one caller can neither take all that a listener has nor drive others out of it.
import { LinkedList } from "./linked-list.ts";

/** Addresses with as many connections that are looked at for one on which nothing is under way. */
const LOOKS_MAX = 16;

// What one customer of a provider is given of IPv6, 2^64 addresses, counts as one.
function countedAddress(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
  const [head = "", tail] = plain.split("::");
  if (!plain.includes(":")) {
    return plain;
  }
  const groups = head === "" ? [] : head.split(":");
  // Of what `::` leaves out, as many as the network's four may lack; what follows it is part of those where there are fewer.
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const left = tail === undefined ? 0 : 8 - groups.length - after.length;
  return [...groups, ...Array.from({ length: left }, () => "0"), ...after].slice(0, 4).join(":");
}

/** The connections of one address. */
export class ConnectionsOfAddress<Connection> {
  readonly name: string;
  count = 0;
  /** Of answers that wait to be read. */
  unsentBytes = 0;
  /** Those on which nothing is under way, for longest first. */
  readonly quiet = new LinkedList<Connection>();

  constructor(name: string) {
    this.name = name;
  }
}

/** The connections of one listener, by address. */
export class ConnectionsPerAddress<Connection> {
  readonly #byName = new Map<string, ConnectionsOfAddress<Connection>>();
  // None of these sets is empty. The largest count is known at any time, since it changes by one.
  readonly #byCount = new Map<number, Set<ConnectionsOfAddress<Connection>>>();
  #most = 0;

  /** Those of an address, which may be none. */
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

  /** The connection that is quiet for longest of an address that has the most, and more than `max`. */
  longestQuietOver(max: number): Connection | undefined {
    let looks = 0;
    if (this.#most > max) {
      for (const { quiet } of this.#byCount.get(this.#most) ?? []) {
        looks += 1;
        if (quiet.first !== undefined || looks === LOOKS_MAX) {
          return quiet.first;
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
