// Decides which connection to close for a new one when the listener, or an address, has reached its limit. Opening connections
// costs a client next to nothing, so the oldest connection without any request is cut first. If there is none, an idle one is closed
// gracefully: if the address with the most connections exceeds its share, the longest idle connection from there, otherwise the
// longest idle of all.
import type { Socket } from "node:net";
import type { ServerLimits } from "./limits.ts";
import { LinkedList, ListNode } from "./linked-list.ts";
import type { TransportFault } from "./transport-fault.ts";
import { TurnShare } from "./turn-budget.ts";

/** The share of the limit that one address may use. */
const ADDRESS_PART = 1 / 8;
const RETRY_MS = 1000;

/** The fault of a request that arrives in parts when there is no room for more. */
export const TOO_MUCH_HELD: TransportFault = {
  reason: "SERVER_BUSY",
  message: "The server is holding as many incomplete requests as it can at the moment; retry in 1 s.",
  retryAfterMs: RETRY_MS,
};

/** The input held for all connections from one address. */
interface Holder {
  heldInputBytes: number;
}

/** The input held for all connections of one listener. */
export class HeldInput {
  readonly bytesMax: number;
  bytes = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }
}

export class HeldInputOfConnection {
  readonly #all: HeldInput;
  readonly #holder: Holder | undefined;
  #bytes = 0;

  /** Without a `holder`, only the limit of the listener applies. */
  constructor(all: HeldInput, holder: Holder | undefined) {
    this.#all = all;
    this.#holder = holder;
  }

  /** Sets how many bytes the connection holds. Returns false if it is more than before and there is no room for it. */
  set(bytes: number): boolean {
    const change = bytes - this.#bytes;
    if (change === 0) {
      return true;
    }
    const { bytesMax } = this.#all;
    this.#bytes = bytes;
    this.#all.bytes += change;
    if (this.#holder !== undefined) {
      this.#holder.heldInputBytes += change;
    }
    return change < 0 || (this.#all.bytes <= bytesMax && (this.#holder?.heldInputBytes ?? 0) <= ADDRESS_PART * bytesMax);
  }
}

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

class ConnectionsOfAddress<Connection> {
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

/** The share of all connections that one address may have. Above it, new clients replace this address's connections first. */
const SHARE = 1 / 100;
/** How many connections may be open beyond the limit for a moment, while replaced ones close, as a share of the limit. */
const CLOSING_PART = 1 / 16;

interface Served {
  /** Tells the peer to use another connection and closes this one. Called only when it is idle. */
  closeIdle(): void;
}

export class ConnectionSlot {
  readonly socket: Socket;
  /** Undefined if the address is not known yet, is not limited, or is a proxy's. */
  address: ConnectionsOfAddress<ConnectionSlot> | undefined;
  served: Served | undefined;
  hadRequest = false;
  /** True once the slot is free again. */
  released = false;
  readonly inListener = new ListNode<ConnectionSlot>(this);
  readonly inAddress = new ListNode<ConnectionSlot>(this);
  readonly #slots: ConnectionSlots;

  constructor(slots: ConnectionSlots, socket: Socket) {
    this.#slots = slots;
    this.socket = socket;
  }

  /** Called when work has started on the connection. */
  markBusy(): void {
    this.hadRequest = true;
    this.inListener.leave();
    this.inAddress.leave();
  }

  /** Called when the connection has become idle. */
  markIdle(): void {
    if (!this.released) {
      this.#slots.idle.addLast(this.inListener);
      this.address?.idle.addLast(this.inAddress);
    }
  }
}

export class ConnectionSlots {
  /** Idle connections that have had a request; the longest idle first. */
  readonly idle = new LinkedList<ConnectionSlot>();
  /** How many were closed to make room. */
  evicted = 0;
  readonly #limits: ServerLimits;
  readonly #perAddress = new ConnectionsPerAddress<ConnectionSlot>();
  // Connections without a request; the oldest first.
  readonly #withoutRequest = new LinkedList<ConnectionSlot>();
  #taken = 0;
  // Connections that are closing to make room.
  readonly #closing = new Set<ConnectionSlot>();

  constructor(limits: ServerLimits) {
    this.#limits = limits;
  }

  /** A slot for a new connection; undefined if there is none. `address` is undefined if it is not limited or not known yet. */
  take(socket: Socket, address: string | undefined): ConnectionSlot | undefined {
    const ofAddress = this.#of(address);
    if (!this.#hasRoom(ofAddress)) {
      return undefined;
    }
    const slot = new ConnectionSlot(this, socket);
    this.#taken += 1;
    this.#withoutRequest.addLast(slot.inListener);
    this.#join(slot, ofAddress);
    return slot;
  }

  closed(slot: ConnectionSlot): void {
    this.#release(slot);
    this.#closing.delete(slot);
  }

  /** Sets the address of a connection once it is known. Returns false if the address has reached its limit. */
  setAddress(slot: ConnectionSlot, address: string): boolean {
    const ofAddress = this.#of(address);
    const hasRoom = ofAddress === undefined || this.#hasRoomOf(ofAddress);
    if (hasRoom) {
      this.#join(slot, ofAddress);
    }
    return hasRoom;
  }

  #of(address: string | undefined): ConnectionsOfAddress<ConnectionSlot> | undefined {
    return address === undefined || this.#limits.connectionsPerAddressMax === 0 ? undefined : this.#perAddress.of(address);
  }

  #join(slot: ConnectionSlot, address: ConnectionsOfAddress<ConnectionSlot> | undefined): void {
    if (address !== undefined && !slot.released) {
      slot.address = address;
      this.#perAddress.opened(address);
      address.idle.addLast(slot.inAddress);
    }
  }

  // An address at its limit replaces one of its own connections. That also makes room on the listener, so no other address loses one.
  #hasRoom(address: ConnectionsOfAddress<ConnectionSlot> | undefined): boolean {
    if (address !== undefined && !this.#hasRoomOf(address)) {
      return false;
    }
    const { connectionsMax } = this.#limits;
    return (
      this.#taken < connectionsMax ||
      this.#evict(
        this.#withoutRequest.first ?? this.#perAddress.longestIdleOver(Math.max(1, SHARE * connectionsMax)) ?? this.idle.first,
      )
    );
  }

  #hasRoomOf(address: ConnectionsOfAddress<ConnectionSlot>): boolean {
    return address.count < this.#limits.connectionsPerAddressMax || this.#evict(address.idle.first);
  }

  #evict(slot: ConnectionSlot | undefined): boolean {
    if (slot === undefined) {
      return false;
    }
    this.evicted += 1;
    this.#release(slot);
    if (!slot.hadRequest) {
      slot.socket.destroy();
      return true;
    }
    this.#closing.add(slot);
    slot.served?.closeIdle();
    const closingMax = Math.ceil(CLOSING_PART * this.#limits.connectionsMax);
    for (const oldest of this.#closing) {
      if (this.#closing.size <= closingMax) {
        break;
      }
      oldest.socket.destroy();
      this.#closing.delete(oldest);
    }
    return true;
  }

  #release(slot: ConnectionSlot): void {
    if (!slot.released) {
      slot.released = true;
      this.#taken -= 1;
      slot.inListener.leave();
      slot.inAddress.leave();
      if (slot.address !== undefined) {
        this.#perAddress.closed(slot.address);
      }
    }
  }
}
