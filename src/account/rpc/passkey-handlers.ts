// The methods for passkeys. Those that create or delete one ask for the password again. Adding a passkey also asks for a
// code if two-factor authentication is on, because a passkey replaces both.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { PasskeySchema } from "../../../gen/quintet/account/v1/passkey_pb.js";
import { Failure } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
import { hasControlCharacter, isBlank, NO_CONTROL_CHARACTERS, NOT_BLANK } from "../../runtime/control-characters.ts";

import type { Passkey } from "../../store/owner-records.ts";
import type { AdminStore } from "../../store/store.ts";
import { StoreConflict } from "../../store/store-errors.ts";
import type { OwnerNotices } from "../owner-notices.ts";
import type { Passkeys } from "../passkeys.ts";
import { sessionInvalid } from "../refusals.ts";
import type { TwoFactorSignIn } from "../two-factor.ts";
import { type AccountHandlers, asOwner, failOnConflict, notFound, type RequirePassword } from "./handlers.ts";

interface PasskeyHandlerOptions {
  readonly store: AdminStore;
  readonly passkeys: Passkeys;
  readonly twoFactor: TwoFactorSignIn;
  readonly notices: OwnerNotices;
  readonly requirePassword: RequirePassword;
}

export const createPasskeyHandlers = ({
  store,
  passkeys,
  twoFactor,
  notices,
  requirePassword,
}: PasskeyHandlerOptions): Pick<AccountHandlers, "beginPasskey" | "createPasskey" | "updatePasskey" | "deletePasskey"> => ({
  async beginPasskey({ password, code }, who) {
    const { accountId } = who;
    await requirePassword(who, password);
    const email = (await store.findAccount(accountId))?.email;
    if (email === undefined || email === null) {
      throw new Failure(sessionInvalid());
    }
    const optionsJson = await passkeys.creationOptions(accountId, email);
    await twoFactor.requireIfOn(accountId, code, asOwner(store, who));
    return { optionsJson };
  },
  async createPasskey({ credentialJson, name: given }, who) {
    const name = given === "" ? "Passkey" : given;
    requireName(name);
    const created = await passkeys.verifyRegistration(who.accountId, credentialJson, name);
    const passkey = await failOnConflict("account", () => asOwner(store, who).addPasskey(created));
    notices.send(who.accountId, { kind: "passkeyAdded", name });
    return { passkey: passkeyMessage(passkey) };
  },
  async updatePasskey({ passkeyId, name }, who) {
    requireName(name);
    const renamed = await notFoundOnConflict(passkeyId, asOwner(store, who).renamePasskey(who.accountId, passkeyId, name));
    return { passkey: passkeyMessage(renamed) };
  },
  async deletePasskey({ passkeyId, password }, who) {
    await requirePassword(who, password);
    const name = await notFoundOnConflict(passkeyId, asOwner(store, who).removePasskey(who.accountId, passkeyId));
    notices.send(who.accountId, { kind: "passkeyRemoved", name });
    return {};
  },
});

// The rest of the rule is in the proto.
function requireName(name: string): void {
  const description = hasControlCharacter(name) ? NO_CONTROL_CHARACTERS : isBlank(name) ? NOT_BLANK : undefined;
  if (description !== undefined) {
    throw new Failure(invalidArgument([{ field: "name", description }]));
  }
}

// Awaits the change, which the store refuses only if the account has no such passkey.
async function notFoundOnConflict<Result>(passkeyId: string, change: Promise<Result>): Promise<Result> {
  try {
    return await change;
  } catch (error) {
    throw error instanceof StoreConflict ? notFound("passkey", passkeyId) : error;
  }
}

export const passkeyMessage = ({ id, name, createdAtMs, lastUsedAtMs }: Passkey): MessageInitShape<typeof PasskeySchema> => ({
  id,
  name,
  createdAt: timestampFromMs(createdAtMs),
  ...(lastUsedAtMs !== undefined && { lastUsedAt: timestampFromMs(lastUsedAtMs) }),
});
