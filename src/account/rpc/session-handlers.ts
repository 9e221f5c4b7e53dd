// The methods for the sessions of the account's owner.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Sessions } from "../sessions.ts";
import { type AccountHandlers, notFound } from "./handlers.ts";

export function createSessionHandlers(sessions: Sessions): Pick<AccountHandlers, "listSessions" | "endSessions"> {
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
    async endSessions({ which }, { accountId, token }) {
      switch (which.case) {
        case "sessionId":
          if (!(await sessions.endById(accountId, which.value))) {
            throw notFound("session", which.value);
          }
          return { count: 1 };
        case "others":
          return { count: await sessions.endOthers(accountId, token) };
        default:
          await sessions.end(token);
          return { count: 1 };
      }
    },
  };
}
