// Who makes way for a newcomer where a listener, or an address, has as many connections as it may have. Connections cost who opens them next to
// nothing, so first the oldest on which no request has come is cut. Then one on which nothing is under way is closed gracefully: the one that
// is quiet for longest, of the address with the most connections where that has more than its share, else of all. Who opens many loses its own.
import type { Socket } from "node:net";
import { type ConnectionsOfAddress, ConnectionsPerAddress } from "./connections-per-address.ts";
import type { ServerLimits } from "./limits.ts";
import { LinkedList, ListNode } from "./linked-list.ts";

/** Of all connections, what one address has before it loses its own to newcomers of others. */
const SHARE = 1 / 100;
/** Of all connections, how many more may be open for the moment in which those that have made way close. */
const LEAVING_PART = 1 / 16;

/** A connection that is served. */
interface Served {
  /** Tells the peer to ask on another connection, and closes this one, on which nothing is under way. */
  closeQuiet(): void;
}

/** One connection's place. */
export class ConnectionPlace {
  readonly socket: Socket;
  /** Undefined where that is not known yet, does not count, or is a proxy's. */
  address: ConnectionsOfAddress<ConnectionPlace> | undefined;
  served: Served | undefined;
  hasBeenAsked = false;
  /** It counts no more. */
  isGiven = false;
  readonly inListener = new ListNode<ConnectionPlace>(this);
  readonly inAddress = new ListNode<ConnectionPlace>(this);
  readonly #places: ConnectionPlaces;

  constructor(places: ConnectionPlaces, socket: Socket) {
    this.#places = places;
    this.socket = socket;
  }

  /** Something is under way on the connection. */
  busy(): void {
    this.hasBeenAsked = true;
    this.inListener.leave();
    this.inAddress.leave();
  }

  /** Nothing is any more. */
  quiet(): void {
    if (!this.isGiven) {
      this.#places.idle.addLast(this.inListener);
      this.address?.quiet.addLast(this.inAddress);
    }
  }
}

/** The places of one listener. */
export class ConnectionPlaces {
  /** Connections that have been asked, and on which nothing is under way: for longest first. */
  readonly idle = new LinkedList<ConnectionPlace>();
  /** How many have made way. */
  madeWay = 0;
  readonly #limits: ServerLimits;
  readonly #perAddress = new ConnectionsPerAddress<ConnectionPlace>();
  // The oldest first.
  readonly #unasked = new LinkedList<ConnectionPlace>();
  #taken = 0;
  // Those that have made way and are not closed.
  readonly #leaving = new Set<ConnectionPlace>();

  constructor(limits: ServerLimits) {
    this.#limits = limits;
  }

  /** Gives a new connection a place; undefined where there is none. The address is one that counts, if it is known already. */
  take(socket: Socket, address: string | undefined): ConnectionPlace | undefined {
    const ofAddress = this.#of(address);
    if (!this.#hasRoom(ofAddress)) {
      return undefined;
    }
    const place = new ConnectionPlace(this, socket);
    this.#taken += 1;
    this.#unasked.addLast(place.inListener);
    this.#join(place, ofAddress);
    return place;
  }

  /** The connection is closed. */
  closed(place: ConnectionPlace): void {
    this.#give(place);
    this.#leaving.delete(place);
  }

  /** The address of the place's connection has become known, and counts. False where it has as many connections as it may have. */
  setAddress(place: ConnectionPlace, address: string): boolean {
    const ofAddress = this.#of(address);
    const hasRoom = ofAddress === undefined || this.#hasRoomOf(ofAddress);
    if (hasRoom) {
      this.#join(place, ofAddress);
    }
    return hasRoom;
  }

  #of(address: string | undefined): ConnectionsOfAddress<ConnectionPlace> | undefined {
    return address === undefined || this.#limits.connectionsPerAddressMax === 0 ? undefined : this.#perAddress.of(address);
  }

  #join(place: ConnectionPlace, address: ConnectionsOfAddress<ConnectionPlace> | undefined): void {
    if (address !== undefined && !place.isGiven) {
      place.address = address;
      this.#perAddress.opened(address);
      address.quiet.addLast(place.inAddress);
    }
  }

  // Room that an address makes of its own is room of the listener too. Who has none there takes no other's.
  #hasRoom(address: ConnectionsOfAddress<ConnectionPlace> | undefined): boolean {
    if (address !== undefined && !this.#hasRoomOf(address)) {
      return false;
    }
    const { connectionsMax } = this.#limits;
    return (
      this.#taken < connectionsMax ||
      this.#makeWay(
        this.#unasked.first ?? this.#perAddress.longestQuietOver(Math.max(1, SHARE * connectionsMax)) ?? this.idle.first,
      )
    );
  }

  #hasRoomOf(address: ConnectionsOfAddress<ConnectionPlace>): boolean {
    return address.count < this.#limits.connectionsPerAddressMax || this.#makeWay(address.quiet.first);
  }

  #makeWay(place: ConnectionPlace | undefined): boolean {
    if (place === undefined) {
      return false;
    }
    this.madeWay += 1;
    this.#give(place);
    if (!place.hasBeenAsked) {
      place.socket.destroy();
      return true;
    }
    this.#leaving.add(place);
    place.served?.closeQuiet();
    const leavingMax = Math.ceil(LEAVING_PART * this.#limits.connectionsMax);
    for (const oldest of this.#leaving) {
      if (this.#leaving.size <= leavingMax) {
        break;
      }
      oldest.socket.destroy();
      this.#leaving.delete(oldest);
    }
    return true;
  }

  #give(place: ConnectionPlace): void {
    if (!place.isGiven) {
      place.isGiven = true;
      this.#taken -= 1;
      place.inListener.leave();
      place.inAddress.leave();
      if (place.address !== undefined) {
        this.#perAddress.closed(place.address);
      }
    }
  }
}
