// The methods of AccountService for two-factor authentication. Those that change it ask for the password again, so that a stolen session is
// not enough.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import type { AdminStore } from "../../store/store.ts";
import type { TwoFactorSignIn } from "../two-factor.ts";
import { asOwner, type Handlers, type SignedIn } from "./handlers.ts";

interface TwoFactorHandlerOptions {
  readonly store: AdminStore;
  readonly twoFactor: TwoFactorSignIn;
  /** Counts a guess at the password or a code of an account's owner. Throws a Failure if it exceeds the rate. */
  readonly countGuess: (accountId: string) => void;
  /** Rejects with a Failure if the password is wrong, after counting the guess. */
  readonly requirePassword: (accountId: string, password: string) => Promise<void>;
}

export function createTwoFactorHandlers({
  store,
  twoFactor,
  countGuess,
  requirePassword,
}: TwoFactorHandlerOptions): Pick<
  Handlers<typeof AccountService, SignedIn>,
  "getTwoFactor" | "beginTwoFactor" | "confirmTwoFactor" | "endTwoFactor" | "replaceRecoveryCodes"
> {
  return {
    async getTwoFactor(_, { accountId }) {
      const state = await twoFactor.state(accountId);
      return state === undefined ? {} : { onSince: timestampFromMs(state.onSinceMs), recoveryCodesLeft: state.recoveryCodesLeft };
    },
    async beginTwoFactor({ password }, { accountId }) {
      await requirePassword(accountId, password);
      const { secret, uri } = await twoFactor.begin(accountId);
      return { secret, otpauthUri: uri };
    },
    async confirmTwoFactor({ code }, who) {
      countGuess(who.accountId);
      return { recoveryCodes: [...(await twoFactor.turnOn(who.accountId, who.token, code, asOwner(store, who)))] };
    },
    async endTwoFactor({ password, code }, who) {
      await requirePassword(who.accountId, password);
      await twoFactor.turnOff(who.accountId, who.token, code, asOwner(store, who));
      return {};
    },
    async replaceRecoveryCodes({ password, code }, who) {
      await requirePassword(who.accountId, password);
      return { recoveryCodes: [...(await twoFactor.replaceRecoveryCodes(who.accountId, code, asOwner(store, who)))] };
    },
  };
}
