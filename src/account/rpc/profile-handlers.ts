// The methods that show how a person signs in and what they may use, and that end their sessions.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { AdminStore } from "../../store/store.ts";
import type { Sessions } from "../sessions.ts";
import type { TwoFactorSignIn } from "../two-factor.ts";
import { type AccountHandlers, notFound } from "./handlers.ts";
import { membershipMessage } from "./messages.ts";
import { passkeyMessage } from "./passkey-handlers.ts";

interface ProfileHandlerOptions {
  readonly store: Pick<AdminStore, "passkeysOf" | "listMemberships">;
  readonly sessions: Sessions;
  readonly twoFactor: Pick<TwoFactorSignIn, "state">;
}

export function createProfileHandlers({
  store,
  sessions,
  twoFactor,
}: ProfileHandlerOptions): Pick<AccountHandlers, "getProfile" | "endSessions"> {
  return {
    async getProfile(_, { personId, token }) {
      const [state, passkeys, open, memberships] = await Promise.all([
        twoFactor.state(personId),
        store.passkeysOf(personId),
        sessions.list(personId, token),
        store.listMemberships(personId),
      ]);
      return {
        ...(state !== undefined && {
          twoFactor: { onSince: timestampFromMs(state.onSinceMs), recoveryCodesLeft: state.recoveryCodesLeft },
        }),
        passkeys: passkeys.map(passkeyMessage),
        sessions: open.map(({ id, createdAtMs, lastUsedAtMs, expiresAtMs, address, userAgent, isCurrent }) => ({
          id,
          createdAt: timestampFromMs(createdAtMs),
          lastUsedAt: timestampFromMs(lastUsedAtMs),
          expiresAt: timestampFromMs(expiresAtMs),
          ...(address !== undefined && { address }),
          ...(userAgent !== undefined && { userAgent }),
          current: isCurrent,
        })),
        memberships: memberships.map(membershipMessage),
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
