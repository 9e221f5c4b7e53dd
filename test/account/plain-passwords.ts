// Passwords whose hashes cost nothing, for tests that use passwords.
import type { Passwords } from "../../src/account/passwords.ts";

/** What the store keeps of a password. */
export const plainHash = (password: string): string => `hash of ${password}`;

/** Hashes and compares passwords for free. */
export const plainPasswords: Passwords = {
  hash: (password) => Promise.resolve(plainHash(password)),
  matches: (password, hash) => Promise.resolve(hash === plainHash(password)),
};
