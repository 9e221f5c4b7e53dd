// How many connections are open from each address, so that one caller cannot take all that a listener has.

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

/** The connections of one listener, by address. */
export class ConnectionsPerAddress {
  readonly #max: number;
  readonly #counts = new Map<string, number>();

  /** With a `max` of 0 there may be any number. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Counts a connection, and returns a function that counts it out again; undefined when the address has as many as it may. */
  open(address: string): (() => void) | undefined {
    if (this.#max === 0) {
      return () => {};
    }
    const counted = countedAddress(address);
    const count = this.#counts.get(counted) ?? 0;
    if (count >= this.#max) {
      return undefined;
    }
    this.#counts.set(counted, count + 1);
    return () => this.#close(counted);
  }

  #close(counted: string): void {
    const count = this.#counts.get(counted) ?? 0;
    if (count > 1) {
      this.#counts.set(counted, count - 1);
    } else {
      this.#counts.delete(counted);
    }
  }
}
