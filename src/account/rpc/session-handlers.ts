// The methods for the sessions of the account's owner.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Sessions } from "../sessions.ts";
import { type AccountHandlers, notFound } from "./handlers.ts";

export function createSessionHandlers(
  sessions: Sessions,
): Pick<AccountHandlers, "listSessions" | "endSession" | "endOtherSessions" | "signOut"> {
  return {
    async listSessions(_, { accountId, token }) {
      const results = await sessions.list(accountId, token);
      return {
        count: results.length,
        results: results.map(({ id, createdAtMs, lastUsedAtMs, expiresAtMs, address, userAgent, isCurrent }) => ({
          id,
          createdAt: timestampFromMs(createdAtMs),
          lastUsedAt: timestampFromMs(lastUsedAtMs),
          expiresAt: timestampFromMs(expiresAtMs),
          ...(address !== undefined && { address }),
          ...(userAgent !== undefined && { userAgent }),
          isCurrent,
        })),
      };
    },
    async endSession({ sessionId }, { accountId }) {
      if (!(await sessions.endById(accountId, sessionId))) {
        throw notFound("session", sessionId);
      }
      return {};
    },
    async endOtherSessions(_, { accountId, token }) {
      return { count: await sessions.endOthers(accountId, token) };
    },
    async signOut(_, { token }) {
      await sessions.end(token);
      return {};
    },
  };
}
