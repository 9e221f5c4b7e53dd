// The links of invitations. The token is in the fragment, which browsers send to no server.
import { randomBase62 } from "../runtime/base62.ts";
import type { Randomness } from "../runtime/randomness.ts";

// 190 random bits.
const TOKEN_LENGTH = 32;

/** Generates the token of a link. */
export const generateToken = (randomness: Pick<Randomness, "bytes">): string => randomBase62(randomness, TOKEN_LENGTH);

/** The link without the server's address. With the e-mail address, its page can say with which one to sign in. */
export const invitationPath = (token: string, email: string): string => `/app/invitation#${new URLSearchParams({ token, email })}`;
