// The store's methods for two-factor authentication. When sessions end, their open streams end too.
import { signInNote } from "../audit-notes.ts";
import type { AuditAction } from "../audit-records.ts";
import * as challenges from "../repositories/challenges.ts";
import * as changes from "../repositories/two-factor-changes.ts";
import * as twoFactors from "../repositories/two-factors.ts";
import type { TwoFactorStore } from "../two-factor-store.ts";
import type { AuditedChanges } from "./audited-changes.ts";

const noteIf = (isDone: boolean, action: AuditAction, accountId: string) => (isDone ? { action, accountId } : undefined);

export function twoFactorMethods({ nowMs, read, write, writeAudited, change }: AuditedChanges) {
  return {
    findTwoFactor: (accountId) => read((db) => twoFactors.findTwoFactor(db, accountId)),
    prepareTwoFactor: (accountId, secret) => write((db) => changes.prepareTwoFactor(db, accountId, secret)),
    turnOnTwoFactor: (accountId, given) =>
      change(
        (db) => changes.turnOnTwoFactor(db, accountId, given, nowMs()),
        (isOn) => noteIf(isOn, "account.turn_on_two_factor", accountId),
      ),
    replaceRecoveryCodes: (accountId, code, hashes) =>
      writeAudited(
        (db) => changes.replaceRecoveryCodes(db, accountId, code, hashes),
        (isDone) => noteIf(isDone, "account.replace_recovery_codes", accountId),
      ),
    turnOffTwoFactor: (accountId, code, currentTokenHash) =>
      change(
        (db) => changes.turnOffTwoFactor(db, accountId, code, currentTokenHash, nowMs()),
        (isOff) => noteIf(isOff, "account.turn_off_two_factor", accountId),
      ),
    removeTwoFactor: (accountId) =>
      change(
        (db) => changes.removeTwoFactor(db, accountId),
        (isOff) => noteIf(isOff, "account.turn_off_two_factor", accountId),
      ),
    takeCodeAttempt: (accountId) => write((db) => twoFactors.takeCodeAttempt(db, accountId, nowMs())),
    useTwoFactorCode: (accountId, code) => write((db) => twoFactors.useCode(db, accountId, code)),
    addChallenge: (challenge) => write((db) => challenges.addChallenge(db, challenge, nowMs())),
    findChallenge: (tokenHash) => read((db) => challenges.findChallenge(db, tokenHash, nowMs())),
    async completeChallenge(challengeHash, code, session) {
      const accountId = await writeAudited(
        (db) => challenges.completeChallenge(db, challengeHash, code, session, nowMs()),
        (completed) =>
          completed === undefined
            ? undefined
            : signInNote(completed, session.userAgent, "recoveryHash" in code ? "account.use_recovery_code" : "account.sign_in"),
      );
      return accountId !== undefined;
    },
  } satisfies Partial<TwoFactorStore>;
}
