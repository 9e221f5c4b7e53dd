// What is stored instead of a secret: an API key, a session's token, or a mailed token.
import { createHash } from "node:crypto";

/** The SHA-256 of a secret, lower-case hex. Secrets are random and long, so a hash without a salt reveals nothing. */
export const hashSecret = (secret: string): string => createHash("sha256").update(secret).digest("hex");
