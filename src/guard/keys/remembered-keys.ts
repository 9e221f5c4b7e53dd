// The valid keys that a thread remembers, with what their owners may call, in bounded memory. While there is room, none is forgotten: the
// epoch of its account shows whether what is known about a key is out of date. When there is no room, keys that were not used since the
// last pass go first (SIEVE, https://www.usenix.org/conference/nsdi24/presentation/zhang-yazhuo): a use only sets a mark, so a hit is one
// lookup.
import type { KnownKey } from "./access.ts";

/** A key with what is known about it. */
interface Remembered {
  readonly key: string;
  readonly caller: KnownKey;
  readonly bytes: number;
  /** Whether it was used since the last pass. */
  isUsed: boolean;
}

// Keys end in random characters; this many of them tell keys apart.
const HASHED_CHARACTERS = 16;
// The memory of a key that calls one service, and of each subscription of its account, measured on 64-bit V8.
const KEY_BYTES = 850;
const SUBSCRIPTION_BYTES = 300;
const OWN_LIMITS_BYTES = 400;

const limitBytes = ({ restriction, ownLimits }: KnownKey): number =>
  (restriction?.bytes ?? 0) + (ownLimits === undefined ? 0 : OWN_LIMITS_BYTES);

// V8 internalizes each string that is used as the key of a map, which takes longer than the lookup, and each request has its key in a new
// string. A number avoids that. Two keys with the same hash, a chance of one in a billion, evict each other.
function hashOf(key: string): number {
  let hash = 0;
  for (let at = Math.max(0, key.length - HASHED_CHARACTERS); at < key.length; at += 1) {
    hash = (Math.imul(hash, 31) + key.charCodeAt(at)) & 0x3fff_ffff;
  }
  return hash;
}

// A substring keeps the whole string in memory, and a request's key may be a substring of its head.
const ownCopyOf = (text: string): string => Buffer.from(text, "latin1").toString("latin1");

export class RememberedKeys {
  readonly #bytesMax: number;
  readonly #byHash = new Map<number, Remembered>();
  #bytes = 0;
  // The hand of SIEVE: cycles through all keys, from the oldest to the newest.
  #hand = this.#byHash.entries();

  /** `bytesMax`: how much memory they may take. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** What is known about a key; undefined if that was forgotten. */
  get(key: string): KnownKey | undefined {
    const found = this.#byHash.get(hashOf(key));
    if (found?.key !== key) {
      return undefined;
    }
    found.isUsed = true;
    return found.caller;
  }

  set(key: string, caller: KnownKey): void {
    const hash = hashOf(key);
    const before = this.#byHash.get(hash);
    const bytes = KEY_BYTES + SUBSCRIPTION_BYTES * caller.subscriptionCount + limitBytes(caller);
    this.#bytes += bytes - (before?.bytes ?? 0);
    this.#byHash.set(hash, { key: before?.key === key ? before.key : ownCopyOf(key), caller, bytes, isUsed: before !== undefined });
    while (this.#bytes > this.#bytesMax && this.#byHash.size > 1) {
      this.#forgetOne();
    }
  }

  delete(key: string): void {
    const hash = hashOf(key);
    const found = this.#byHash.get(hash);
    if (found?.key === key) {
      this.#forget(hash, found);
    }
  }

  get size(): number {
    return this.#byHash.size;
  }

  #forgetOne(): void {
    for (;;) {
      const { value, done } = this.#hand.next();
      if (done === true) {
        this.#hand = this.#byHash.entries();
      } else if (value[1].isUsed) {
        value[1].isUsed = false;
      } else {
        this.#forget(...value);
        return;
      }
    }
  }

  #forget(hash: number, { bytes }: Remembered): void {
    this.#byHash.delete(hash);
    this.#bytes -= bytes;
  }
}
