// Somebody turns two-factor authentication on, signs in with codes and recovery codes, tries wrong ones, and turns it off. Whole responses
// are compared.
import { expect } from "vitest";
import { codeAt } from "../../fixtures/authenticator.ts";
import { bearing, METHODS, PASSWORD, type Person } from "./person.ts";
import { A_TIME, A_TOKEN, AN_ID, badInput, type Expected, forbidden, SETTINGS } from "./responses.ts";

const NEXT_PASSWORD = "six honest dice, thrown by hand";
const A_SECRET: unknown = expect.stringMatching(/^[A-Z2-7]{32}$/);
const A_RECOVERY_CODE: unknown = expect.stringMatching(/^([0-9abcdefghjkmnpqrstvwxyz]{4}-){3}[0-9abcdefghjkmnpqrstvwxyz]{4}$/);
const TEN_CODES: unknown = new Array(10).fill(A_RECOVERY_CODE);

const WRONG = {
  field: "code",
  description: "is wrong, or was already used. Wait for the next one, and check that your phone's clock is right",
};
const NO_CODE = {
  field: "code",
  description: "must be the 6 digits that your authenticator app shows, or a recovery code such as k4v7-0q2m-x9ta-83hd",
};
const WRONG_PASSWORD = { field: "password", description: "is wrong" };
const OVER = { field: "challenge", description: "is not valid: it has already been used or has expired. Sign in again" };
const IS_OFF = forbidden("account", "Two-factor authentication is off.");
const IS_ON = forbidden("account", "Two-factor authentication is already on.");
const NOT_BEGUN = forbidden("account", "No secret has been generated. Call BeginTwoFactor first.");
const SESSION_ENDED: Expected = { reason: "SESSION_INVALID", message: "The session is not known or has ended. Sign in again." };
const SIGN_IN_FAILED: Expected = {
  reason: "SIGN_IN_FAILED",
  message: "The e-mail address or the password is wrong. Check both, and try again.",
};

/** The server's clock. */
export interface TwoFactorClock {
  nowMs(): number;
  advance(ms: number): void;
}

/** A code that the app does not show within a minute. */
function wrongCodeAt(secret: string, nowMs: number): string {
  const shown = [-60_000, -30_000, 0, 30_000, 60_000].map((ms) => codeAt(secret, nowMs + ms));
  return ["000000", "111111", "222222", "333333", "444444", "555555"].find((code) => !shown.includes(code)) ?? "";
}

const profile = (two_factor?: object): object => ({
  ...(two_factor !== undefined && { two_factor }),
  passkeys: [],
  sessions: expect.any(Array),
  memberships: [],
});

interface Session {
  readonly token: string;
}

/** Plays it through for a person with a new account, and moves the clock. */
export async function runTwoFactor(person: Person, clock: TwoFactorClock, email: string): Promise<void> {
  // No longer than idle connections may wait.
  const nextCode = (): void => clock.advance(30_000);
  const account = { id: AN_ID, name: expect.any(String), email, suspended: false, created_at: A_TIME };
  const started = { session: { token: A_TOKEN, expires_at: A_TIME, account } };
  const beginAs = async (password = PASSWORD): Promise<string> => {
    const waiting = { challenge: A_TOKEN };
    const { challenge } = await person.get<{ challenge: string }>(METHODS.signIn, { email, password }, waiting);
    return challenge;
  };
  const { session: first } = await person.get<{ session: Session }>(METHODS.signUp, { email, password: PASSWORD }, started);
  const { session: second } = await person.get<{ session: Session }>(METHODS.signIn, { email, password: PASSWORD }, started);
  const [mine, other] = [bearing(first.token), bearing(second.token)];

  // On.
  await person.get(METHODS.getProfile, {}, profile(), mine);
  await person.fail(METHODS.confirmTwoFactor, { code: "123456" }, NOT_BEGUN, mine);
  await person.fail(METHODS.endTwoFactor, { password: PASSWORD, code: "123456" }, IS_OFF, mine);
  await person.fail(METHODS.replaceRecoveryCodes, { password: PASSWORD, code: "123456" }, IS_OFF, mine);
  await person.fail(METHODS.beginTwoFactor, { password: NEXT_PASSWORD }, badInput(WRONG_PASSWORD), mine);
  const drawn = { secret: A_SECRET, otpauth_uri: expect.stringMatching(/^otpauth:\/\/totp\/Quintet:/) };
  await person.get(METHODS.beginTwoFactor, { password: PASSWORD }, drawn, mine);
  const { secret } = await person.get<{ secret: string }>(METHODS.beginTwoFactor, { password: PASSWORD }, drawn, mine);
  const code = (): string => codeAt(secret, clock.nowMs());
  await person.get(METHODS.getProfile, {}, profile(), mine);
  await person.fail(METHODS.confirmTwoFactor, { code: wrongCodeAt(secret, clock.nowMs()) }, badInput(WRONG), mine);
  const sixDigits = { field: "code", description: "must be the 6 digits that your authenticator app shows" };
  await person.fail(METHODS.confirmTwoFactor, { code: "12345" }, badInput(sixDigits), mine);
  const codes = { recovery_codes: TEN_CODES };
  const confirming = code();
  const spaced = ` ${confirming.slice(0, 3)} ${confirming.slice(3)} `;
  const { recovery_codes } = await person.get<{ recovery_codes: string[] }>(
    METHODS.confirmTwoFactor,
    { code: spaced },
    codes,
    mine,
  );
  await person.get(METHODS.getProfile, {}, profile({ on_since: A_TIME, recovery_codes_left: 10 }), mine);
  await person.fail(METHODS.getAccount, {}, SESSION_ENDED, other);
  await person.fail(METHODS.beginTwoFactor, { password: PASSWORD }, IS_ON, mine);
  await person.fail(METHODS.confirmTwoFactor, { code: code() }, IS_ON, mine);

  // Signing in. A challenge is not a session.
  const challenge = await beginAs();
  await person.fail(METHODS.getAccount, {}, SESSION_ENDED, bearing(challenge));
  await person.fail(METHODS.signIn, { email, password: NEXT_PASSWORD }, SIGN_IN_FAILED);
  await person.fail(METHODS.signIn, { challenge: "nobody's", code: code() }, badInput(OVER));
  await person.fail(METHODS.signIn, { challenge, code: "12345x" }, badInput(NO_CODE));
  // The code that turned it on.
  await person.fail(METHODS.signIn, { challenge, code: confirming }, badInput(WRONG));
  nextCode();
  const used = code();
  const { session } = await person.get<{ session: Session }>(METHODS.signIn, { challenge, code: used }, started);
  await person.get(METHODS.getAccount, {}, { account, settings: SETTINGS }, bearing(session.token));
  await person.fail(METHODS.signIn, { challenge, code: code() }, badInput(OVER));
  await person.fail(METHODS.signIn, { challenge: await beginAs(), code: used }, badInput(WRONG));
  const [lost = "", next = ""] = recovery_codes;
  const typed = { challenge: await beginAs(), code: lost.toUpperCase().replaceAll("-", " ") };
  await person.get(METHODS.signIn, typed, started);
  await person.fail(METHODS.signIn, { challenge: await beginAs(), code: lost }, badInput(WRONG));
  await person.get(METHODS.getProfile, {}, profile({ on_since: A_TIME, recovery_codes_left: 9 }), mine);
  const old = await beginAs();
  for (let halfMinute = 0; halfMinute < 20; halfMinute += 1) {
    nextCode();
    await person.get(METHODS.getProfile, {}, profile({ on_since: A_TIME, recovery_codes_left: 9 }), mine);
  }
  await person.fail(METHODS.signIn, { challenge: old, code: code() }, badInput(OVER));

  // A new password does not turn it off, and ends challenges.
  const waiting = await beginAs();
  await person.get(METHODS.changePassword, { current_password: PASSWORD, new_password: NEXT_PASSWORD }, {}, mine);
  await person.fail(METHODS.signIn, { challenge: waiting, code: code() }, badInput(OVER));

  // Guesses. One code was wrong since the last right one.
  const guessed = await beginAs(NEXT_PASSWORD);
  const wrong = wrongCodeAt(secret, clock.nowMs());
  for (let guess = 2; guess <= 5; guess += 1) {
    await person.fail(METHODS.signIn, { challenge: guessed, code: wrong }, badInput(WRONG));
  }
  const retryAfterS = 29;
  const message = `Too many wrong codes; retry in ${retryAfterS} s.`;
  const limited: Expected = { reason: "RATE_LIMITED", message, retryAfterS };
  await person.fail(METHODS.signIn, { challenge: guessed, code: code() }, limited);
  nextCode();
  await person.get(METHODS.signIn, { challenge: guessed, code: code() }, started);

  // Recovery codes, and off.
  nextCode();
  await person.fail(METHODS.replaceRecoveryCodes, { password: PASSWORD, code: code() }, badInput(WRONG_PASSWORD), mine);
  const renewed = await person.get<{ recovery_codes: string[] }>(
    METHODS.replaceRecoveryCodes,
    { password: NEXT_PASSWORD, code: code() },
    codes,
    mine,
  );
  await person.fail(METHODS.signIn, { challenge: await beginAs(NEXT_PASSWORD), code: next }, badInput(WRONG));
  await person.fail(METHODS.endTwoFactor, { password: PASSWORD, code: code() }, badInput(WRONG_PASSWORD), mine);
  await person.fail(METHODS.endTwoFactor, { password: NEXT_PASSWORD, code: next }, badInput(WRONG), mine);
  await person.get(METHODS.endTwoFactor, { password: NEXT_PASSWORD, code: renewed.recovery_codes[0] ?? "" }, {}, mine);
  await person.get(METHODS.getProfile, {}, profile(), mine);
  await person.get(METHODS.signIn, { email, password: NEXT_PASSWORD }, started);
}
