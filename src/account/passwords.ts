// Passwords are stored as scrypt hashes only. A hash takes about 100 ms of a core and 32 MiB, so only a few are made or queued at a time:
// the threads that make them also compress responses and look up host names.
// https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
import { scrypt, timingSafeEqual } from "node:crypto";
import type { Randomness } from "../runtime/randomness.ts";
import { type HashPriority, PasswordQueue, UNKNOWN_CALLER_PRIORITY } from "./password-queue.ts";

/** How expensive a hash is: scrypt's N is two to the power of `costLog2`, `block` is its r, `parallel` its p. */
export interface PasswordCost {
  readonly costLog2: number;
  readonly block: number;
  readonly parallel: number;
}

const DEFAULT_COST: PasswordCost = { costLog2: 15, block: 8, parallel: 3 };
const SALT_BYTES = 16;
const KEY_BYTES = 32;
// Four times what one hash takes, so that the cost can be raised later.
const MEMORY_BYTES_MAX = 2 ** 27;

/** Passwords. Both methods wait in a queue, and reject with a Failure if it is full. */
export interface Passwords {
  /** `scrypt:` with cost, salt and key: 80 characters, different each time. */
  hash(password: string, priority?: HashPriority): Promise<string>;
  /** Whether the hash is of this password. Without a hash, returns false after the time that a comparison takes. */
  matches(password: string, hash: string | undefined, priority?: HashPriority): Promise<boolean>;
}

/** Only tests use another cost. */
export function createPasswords(randomness: Pick<Randomness, "bytes">, cost = DEFAULT_COST): Passwords {
  const queue = new PasswordQueue();
  // Compared with if there is no hash, so that the comparison takes the same time. No password has this hash.
  const dummyHash: Hashed = {
    cost: { N: 2 ** cost.costLog2, r: cost.block, p: cost.parallel },
    salt: Buffer.alloc(SALT_BYTES),
    key: Buffer.alloc(KEY_BYTES),
  };
  return {
    hash: (password, priority = UNKNOWN_CALLER_PRIORITY) =>
      queue.run(priority, async () => {
        const salt = Buffer.from(randomness.bytes(SALT_BYTES));
        const key = await derive(password, salt, dummyHash.cost);
        return ["scrypt", cost.costLog2, cost.block, cost.parallel, salt.toString("base64url"), key.toString("base64url")].join(
          ":",
        );
      }),
    matches: (password, hash, priority = UNKNOWN_CALLER_PRIORITY) =>
      queue.run(priority, async () => {
        const hashed = hash === undefined ? dummyHash : readHash(hash);
        const isSame = timingSafeEqual(await derive(password, hashed.salt, hashed.cost), hashed.key);
        return isSame && hash !== undefined;
      }),
  };
}

/** The parts of a stored hash. */
interface Hashed {
  readonly cost: { readonly N: number; readonly r: number; readonly p: number };
  readonly salt: Buffer;
  readonly key: Buffer;
}

// Uses the cost that the hash was made with, not today's.
function readHash(hash: string): Hashed {
  const [, costLog2, r, p, salt = "", key = ""] = hash.split(":");
  const cost = { N: 2 ** Number(costLog2), r: Number(r), p: Number(p) };
  return { cost, salt: Buffer.from(salt, "base64url"), key: Buffer.from(key, "base64url") };
}

function derive(password: string, salt: Buffer, cost: Hashed["cost"]): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  // The same letter may be encoded in two ways. https://www.rfc-editor.org/rfc/rfc8265
  const text = password.normalize("NFKC");
  scrypt(text, salt, KEY_BYTES, { ...cost, maxmem: MEMORY_BYTES_MAX }, (error, key) =>
    error === null ? resolve(key) : reject(error),
  );
  return promise;
}
