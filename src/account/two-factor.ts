// Two-factor authentication: a code from the owner's authenticator app, or one of their recovery codes, as well as the password.

import { hashSecret } from "@quintet/guard";
import { Failure, throwIfLimited } from "../problem/failure.ts";
import { invalidArgument } from "../problem/problem.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Randomness } from "../runtime/randomness.ts";

import type { UsedCode } from "../store/owner-records.ts";
import type { AdminStore } from "../store/store.ts";
import { generateRecoveryCodes, plainRecoveryCode } from "./recovery-codes.ts";
import { stateForbids, tooManyCodes } from "./refusals.ts";
import { generateTotpSecret, totpStep, totpUri } from "./totp.ts";

interface TwoFactorOptions {
  readonly store: AdminStore;
  readonly clock: Pick<Clock, "nowMs">;
  readonly randomness: Pick<Randomness, "bytes">;
}

/** Two-factor authentication. Methods reject with a Failure that the owner can understand, and as the store does. */
export class TwoFactorSignIn {
  readonly #options: TwoFactorOptions;

  constructor(options: TwoFactorOptions) {
    this.#options = options;
  }

  /** When two-factor authentication was turned on, and how many recovery codes are left; undefined if it is off. */
  async state(accountId: string): Promise<{ readonly onSinceMs: number; readonly recoveryCodesLeft: number } | undefined> {
    const { onSinceMs, recoveryCodesLeft } = (await this.#options.store.findTwoFactor(accountId)) ?? {};
    return onSinceMs === undefined || recoveryCodesLeft === undefined ? undefined : { onSinceMs, recoveryCodesLeft };
  }

  /** Generates a secret for the authenticator app of the account's owner. `turnOn` confirms the secret. */
  async begin(accountId: string): Promise<{ readonly secret: string; readonly uri: string }> {
    const { store, randomness } = this.#options;
    const owner = await store.findOwnerOf(accountId);
    const secret = generateTotpSecret(randomness);
    if (!(await store.prepareTwoFactor(accountId, secret))) {
      throw alreadyOn();
    }
    return { secret, uri: totpUri(secret, owner?.email ?? "") };
  }

  /** Turns two-factor authentication on with the app's first code, and returns the recovery codes. `asOwner` names the actor to audit. */
  async turnOn(accountId: string, token: string, code: string, asOwner: AdminStore): Promise<readonly string[]> {
    const { clock } = this.#options;
    const { secret, onSinceMs } = (await asOwner.findTwoFactor(accountId)) ?? {};
    if (secret === undefined || onSinceMs !== undefined) {
      throw onSinceMs === undefined ? new Failure(stateForbids("account", NO_SECRET)) : alreadyOn();
    }
    const digits = plainDigits(code);
    if (digits === undefined) {
      throw wrongCode("must be the 6 digits that your authenticator app shows");
    }
    const step = totpStep(secret, digits, clock.nowMs());
    if (step === undefined) {
      throw wrongCode();
    }
    const recoveryCodes = this.#recoveryCodes();
    const change = { secret, step, recoveryHashes: recoveryCodes.hashes, currentTokenHash: hashSecret(token) };
    if (!(await asOwner.turnOnTwoFactor(accountId, change))) {
      throw alreadyOn();
    }
    return recoveryCodes.shown;
  }

  async turnOff(accountId: string, token: string, code: string, asOwner: AdminStore): Promise<void> {
    await this.#requireOn(accountId);
    if (!(await asOwner.turnOffTwoFactor(accountId, await this.check(accountId, code), hashSecret(token)))) {
      throw wrongCode();
    }
  }

  /** Replaces the recovery codes, and returns the new ones. */
  async replaceRecoveryCodes(accountId: string, code: string, asOwner: AdminStore): Promise<readonly string[]> {
    await this.#requireOn(accountId);
    const { shown, hashes } = this.#recoveryCodes();
    if (!(await asOwner.replaceRecoveryCodes(accountId, await this.check(accountId, code), hashes))) {
      throw wrongCode();
    }
    return shown;
  }

  /** Uses a code if two-factor authentication is on. Rejects if the code is wrong, or if too many codes were wrong. */
  async requireIfOn(accountId: string, code: string, asOwner: AdminStore): Promise<void> {
    if ((await this.state(accountId)) === undefined) {
      return;
    }
    if (code === "") {
      throw wrongCode("is required, because two-factor authentication is on");
    }
    if (!(await asOwner.useTwoFactorCode(accountId, await this.check(accountId, code)))) {
      throw wrongCode();
    }
  }

  /** Checks a code, and counts it as wrong until it is used. Rejects if the code is wrong, or if too many codes were wrong. */
  async check(accountId: string, code: string): Promise<UsedCode> {
    const { store, clock } = this.#options;
    const digits = plainDigits(code);
    const recoveryCode = digits === undefined ? plainRecoveryCode(code) : undefined;
    if (digits === undefined && recoveryCode === undefined) {
      throw wrongCode("must be the 6 digits that your authenticator app shows, or a recovery code such as k4v7-0q2m-x9ta-83hd");
    }
    const { secret, onSinceMs } = (await store.findTwoFactor(accountId)) ?? {};
    if (secret === undefined || onSinceMs === undefined) {
      throw wrongCode();
    }
    throwIfLimited(await store.takeCodeAttempt(accountId), tooManyCodes);
    if (recoveryCode !== undefined) {
      return { recoveryHash: hashSecret(recoveryCode) };
    }
    const step = totpStep(secret, digits ?? "", clock.nowMs());
    if (step === undefined) {
      throw wrongCode();
    }
    return { step };
  }

  async #requireOn(accountId: string): Promise<void> {
    if ((await this.state(accountId)) === undefined) {
      throw new Failure(stateForbids("account", "Two-factor authentication is off."));
    }
  }

  #recoveryCodes(): { readonly shown: readonly string[]; readonly hashes: readonly string[] } {
    const shown = generateRecoveryCodes(this.#options.randomness);
    return { shown, hashes: shown.map((code) => hashSecret(plainRecoveryCode(code) ?? code)) };
  }
}

/** A code that is wrong, or was used before. */
export const wrongCode = (description = WRONG_CODE): Failure => new Failure(invalidArgument([{ field: "code", description }]));

const WRONG_CODE = "is wrong, or was already used. Wait for the next one, and check that your phone's clock is right";
const NO_SECRET = "No secret has been generated. Call BeginTwoFactor first.";

const alreadyOn = (): Failure => new Failure(stateForbids("account", "Two-factor authentication is already on."));

// The 6 digits of an authenticator's code, which apps show with a space in the middle.
function plainDigits(text: string): string | undefined {
  const plain = text.replaceAll(/[\s-]/g, "");
  return /^\d{6}$/.test(plain) ? plain : undefined;
}
