// The key that a sample is called with: the one that the user typed, or else the session's, or else the public one.
import { ConsoleKeyError, type ConsoleKeys } from "../api/console-key.ts";
import { faultOf } from "../api/reason.ts";

/** A key, and a description of whose it is. */
export interface SampleKey {
  readonly secret: string;
  readonly description: string;
}

export interface KnownKeys {
  /** What was typed into the page; empty if nothing was. */
  readonly typed: string;
  /** Whether this browser is signed in, as far as the page knows. */
  readonly isMember: boolean;
  /** Undefined if the operator has set none. */
  readonly publicSecret: string | undefined;
  readonly consoleKeys: Pick<ConsoleKeys, "get">;
}

/**
 * The key; undefined if the page has none. Rejects with a ConsoleKeyError if only the session's key could be used and it cannot be created.
 */
export async function sampleKey({ typed, isMember, publicSecret, consoleKeys }: KnownKeys): Promise<SampleKey | undefined> {
  if (typed !== "") {
    return { secret: typed, description: `with your key …${typed.slice(-4)}` };
  }
  const byPublic = publicSecret === undefined ? undefined : { secret: publicSecret, description: "with this server's public key" };
  if (!isMember) {
    return byPublic;
  }
  try {
    return { secret: await consoleKeys.get(), description: "with a key from your account" };
  } catch (error) {
    // The session may have ended in the meantime.
    if (error instanceof ConsoleKeyError && faultOf(error.reason) === "session" && byPublic !== undefined) {
      return byPublic;
    }
    throw error;
  }
}
