// The methods for two-factor authentication. Those that change it ask for the password again, so that a stolen session is
// not enough.
import type { AdminStore } from "../../store/store.ts";
import type { OwnerNotices } from "../owner-notices.ts";
import type { TwoFactorSignIn } from "../two-factor.ts";
import { type AccountHandlers, asOwner, type RequirePassword, type SignedIn } from "./handlers.ts";

interface TwoFactorHandlerOptions {
  readonly store: AdminStore;
  readonly twoFactor: TwoFactorSignIn;
  readonly notices: OwnerNotices;
  /** Counts a guess at the caller's password or code. Throws a Failure if it exceeds the rate. */
  readonly countGuess: (who: SignedIn) => void;
  readonly requirePassword: RequirePassword;
}

export function createTwoFactorHandlers({
  store,
  twoFactor,
  notices,
  countGuess,
  requirePassword,
}: TwoFactorHandlerOptions): Pick<
  AccountHandlers,
  "beginTwoFactor" | "confirmTwoFactor" | "endTwoFactor" | "replaceRecoveryCodes"
> {
  return {
    async beginTwoFactor({ password }, who) {
      await requirePassword(who, password);
      const { secret, uri } = await twoFactor.begin(who.accountId);
      return { secret, otpauthUri: uri };
    },
    async confirmTwoFactor({ code }, who) {
      countGuess(who);
      const recoveryCodes = await twoFactor.turnOn(who.accountId, who.token, code, asOwner(store, who));
      notices.send(who.accountId, { kind: "twoFactorOn" });
      return { recoveryCodes: [...recoveryCodes] };
    },
    async endTwoFactor({ password, code }, who) {
      await requirePassword(who, password);
      await twoFactor.turnOff(who.accountId, who.token, code, asOwner(store, who));
      notices.send(who.accountId, { kind: "twoFactorOff" });
      return {};
    },
    async replaceRecoveryCodes({ password, code }, who) {
      await requirePassword(who, password);
      const recoveryCodes = await twoFactor.replaceRecoveryCodes(who.accountId, code, asOwner(store, who));
      notices.send(who.accountId, { kind: "recoveryCodesReplaced" });
      return { recoveryCodes: [...recoveryCodes] };
    },
  };
}
