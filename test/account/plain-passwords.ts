// Passwords whose hashes cost nothing, for tests of what is done with them.
import type { Passwords } from "../../src/account/passwords.ts";

/** What is kept of a password. */
export const plainHash = (password: string): string => `hash of ${password}`;

/** The passwords. */
export const plainPasswords: Passwords = {
  hash: (password) => Promise.resolve(plainHash(password)),
  matches: (password, hash) => Promise.resolve(hash === plainHash(password)),
};
