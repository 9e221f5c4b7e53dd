// The tokens of sessions, sign-in challenges, mailed links and invitations. Only the SHA-256 of each is stored.

import { randomBase62 } from "@quintet/guard";
import type { Randomness } from "../runtime/randomness.ts";

const TOKEN_LENGTH = 32;

/** A token's format. A string in a different format need not be looked up. */
export const TOKEN_SHAPE = new RegExp(`^[0-9A-Za-z]{${TOKEN_LENGTH}}$`);

/** Generates a token of 190 random bits. */
export const generateToken = (randomness: Pick<Randomness, "bytes">): string => randomBase62(randomness, TOKEN_LENGTH);
