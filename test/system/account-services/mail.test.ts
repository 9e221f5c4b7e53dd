// Signing up, verifying and resetting a password with links sent by mail: in every protocol, with a real SMTP server, and with servers that
// are dead or silent. Known and unknown addresses get the same response.

import { hashSecret } from "@quintet/guard";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { OperatorService } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { codeAt } from "../../fixtures/authenticator.ts";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { quickPasswords } from "../../fixtures/quick-passwords.ts";
import { linkOf, type SmtpServer, startSmtp } from "../../fixtures/servers/smtp.ts";
import { CLIENTS, type Client, rest } from "./clients.ts";
import { PLANS } from "./life.ts";
import { bearing, METHODS, PASSWORD, Person, placeOf } from "./person.ts";
import { A_TIME, A_TOKEN, AN_ID, badInput, forbidden } from "./responses.ts";

const { method: OPERATOR } = OperatorService;
const PUBLIC_URL = "http://127.0.0.1:8080";
const NEXT_PASSWORD = "six honest dice, thrown by hand";
const LINK_OVER = badInput({ field: "token", description: "is not valid: the link was used or has expired. Ask for another one" });
const WRONG_PASSWORD = badInput({
  field: "password",
  description: "is wrong. If somebody else created an account with your address, request a new password: that ends their sessions",
});
const SIGN_IN_FAILED = {
  reason: "SIGN_IN_FAILED",
  message: "The e-mail address or the password is wrong. Check both, and try again.",
} as const;
const SESSION_INVALID = { reason: "SESSION_INVALID", message: "The session is not known or has ended. Sign in again." } as const;

const variablesFor = (url: string) => ({
  QUINTET_SMTP_URL: url,
  QUINTET_MAIL_FROM: "Quintet <no-reply@example.com>",
  QUINTET_PUBLIC_URL: PUBLIC_URL,
});

const emailOf = ({ name }: Client, who: string): string => `${who}.${name.toLowerCase().replaceAll(/[^a-z]/g, "")}@example.com`;

async function nextLink(smtp: SmtpServer, email: string): Promise<{ page: string; token: string; next: string | null }> {
  const link = new URL(linkOf(await smtp.nextMail(email)));
  expect({ origin: link.origin, search: link.search }).toEqual({ origin: PUBLIC_URL, search: "" });
  const values = new URLSearchParams(link.hash.slice(1));
  return { page: link.pathname, token: values.get("token") ?? "", next: values.get("next") };
}

describe("on a server that sends mail", () => {
  let smtp: SmtpServer;
  let gateway: Gateway;
  beforeAll(async () => {
    smtp = await startSmtp();
    gateway = await startGateway({ plans: PLANS, variables: variablesFor(smtp.url) });
  });
  afterAll(async () => {
    await gateway.close();
    await smtp.close();
  });

  test.each(CLIENTS)("somebody signs up, follows the link, forgets the password and sets a new one, by $name", async (client) => {
    const person = new Person(placeOf(gateway), client);
    const email = emailOf(client, "ada");
    const signInFails = async (password: string) => person.fail(METHODS.signIn, { email, password }, SIGN_IN_FAILED);
    const sent = { mail_sent: true };
    await person.get(METHODS.signUp, { email, next: "/app/subscriptions?change=radio" }, sent);
    await signInFails(PASSWORD);
    const first = await nextLink(smtp, email);
    expect([first.page, first.next]).toEqual(["/app/finish", "/app/subscriptions?change=radio"]);
    const easy = { field: "password", description: "must not be the e-mail address, or the part before its @" };
    await person.fail(METHODS.verifyEmail, { token: first.token, password: email }, badInput(easy));
    const finish = { token: first.token, password: PASSWORD };
    await person.get(METHODS.verifyEmail, finish, {});
    await person.fail(METHODS.verifyEmail, finish, LINK_OVER);
    const account = {
      ...{ id: AN_ID, name: expect.any(String), email, suspended: false },
      ...{ created_at: A_TIME, email_verified_at: A_TIME },
    };
    const started = { session: { token: A_TOKEN, expires_at: A_TIME, account } };
    const { session } = await person.get<{ session: { token: string } }>(METHODS.signIn, { email, password: PASSWORD }, started);
    // The same response, and an e-mail to the owner.
    await person.get(METHODS.signUp, { email: email.toUpperCase(), password: NEXT_PASSWORD }, sent);
    const told = await smtp.nextMail(email);
    expect([told.source.includes("Subject: You have an account at"), linkOf(told)]).toEqual([true, `${PUBLIC_URL}/app/forgot`]);
    await signInFails(NEXT_PASSWORD);
    // The same response for an unknown address.
    await person.get(METHODS.requestPasswordReset, { email: emailOf(client, "nobody") }, {});
    await person.get(METHODS.requestPasswordReset, { email: email.toUpperCase() }, {});
    const second = await nextLink(smtp, email);
    expect(second.page).toBe("/app/reset");
    await person.fail(
      METHODS.resetPassword,
      { token: second.token, new_password: "password1234" },
      badInput({
        field: "new_password",
        description:
          "is too easy to guess: it consists of common passwords, simple patterns or words from the e-mail address; use several unrelated words instead",
      }),
    );
    const choice = { token: second.token, new_password: NEXT_PASSWORD };
    await person.get(METHODS.resetPassword, choice, {});
    await person.fail(METHODS.resetPassword, choice, LINK_OVER);
    await person.fail(METHODS.getAccount, {}, SESSION_INVALID, bearing(session.token));
    await person.get(METHODS.signIn, { email, password: NEXT_PASSWORD }, started);
    expect(smtp.mails.some(({ to }) => to.includes(emailOf(client, "nobody")))).toBe(false);
  });

  test.each(CLIENTS)(
    "an account that somebody else signed up for gets the password of the person who reads the e-mail, by $name",
    async (client) => {
      const [attacker, owner] = [new Person(placeOf(gateway), client), new Person(placeOf(gateway), client)];
      const email = emailOf(client, "victim");
      await attacker.take(METHODS.signUp, { email, password: PASSWORD });
      const { token } = await nextLink(smtp, email);
      await owner.get(METHODS.verifyEmail, { token, password: NEXT_PASSWORD }, {});
      await attacker.fail(METHODS.signIn, { email, password: PASSWORD }, SIGN_IN_FAILED);
      await owner.take(METHODS.signIn, { email, password: NEXT_PASSWORD });
    },
  );

  test.each(CLIENTS)(
    "the person who reads the e-mail does not verify an account that somebody else made, but takes it over, by $name",
    async (client) => {
      const [nobody, attacker, owner] = [1, 2, 3].map(() => new Person(placeOf(gateway), client)) as [Person, Person, Person];
      const email = emailOf(client, "hijacked");
      // Created as on a server that does not send mail yet.
      const passwordHash = await quickPasswords.hash(PASSWORD);
      await gateway.store.createOwnedAccount({ id: systemRandomness.uuid(), name: email.split("@")[0] ?? "", email }, passwordHash);
      const { session } = await attacker.take<{ session: { token: string } }>(METHODS.signIn, { email, password: PASSWORD });
      await attacker.take(METHODS.sendVerification, {}, bearing(session.token));
      const { page, token } = await nextLink(smtp, email);
      expect(page).toBe("/app/verify");
      const isVerified = async () => (await gateway.store.findAccount(email))?.emailVerifiedAtMs !== undefined;
      await nobody.fail(METHODS.verifyEmail, { token: "x".repeat(32), password: PASSWORD }, LINK_OVER);
      await owner.fail(METHODS.verifyEmail, { token, password: NEXT_PASSWORD }, WRONG_PASSWORD);
      expect(await isVerified()).toBe(false);
      // A network may ask once a minute.
      gateway.clock.advance(60_000);
      await owner.take(METHODS.requestPasswordReset, { email });
      const reset = await nextLink(smtp, email);
      await owner.take(METHODS.resetPassword, { token: reset.token, new_password: NEXT_PASSWORD });
      expect(await isVerified()).toBe(true);
      await attacker.fail(METHODS.getAccount, {}, SESSION_INVALID, bearing(session.token));
      await attacker.fail(METHODS.signIn, { email, password: PASSWORD }, SIGN_IN_FAILED);
      await owner.take(METHODS.signIn, { email, password: NEXT_PASSWORD });
    },
  );

  test.each(CLIENTS)("an owner verifies an address with the account's password, and stays signed in, by $name", async (client) => {
    const owner = new Person(placeOf(gateway), client);
    const email = emailOf(client, "owner");
    const passwordHash = await quickPasswords.hash(PASSWORD);
    await gateway.store.createOwnedAccount({ id: systemRandomness.uuid(), name: email.split("@")[0] ?? "", email }, passwordHash);
    const { session } = await owner.take<{ session: { token: string } }>(METHODS.signIn, { email, password: PASSWORD });
    await owner.take(METHODS.sendVerification, {}, bearing(session.token));
    const { token } = await nextLink(smtp, email);
    await owner.fail(METHODS.verifyEmail, { token, password: NEXT_PASSWORD }, WRONG_PASSWORD);
    await owner.get(METHODS.verifyEmail, { token, password: PASSWORD }, {});
    await owner.fail(METHODS.verifyEmail, { token, password: PASSWORD }, LINK_OVER);
    const { account } = await owner.take<{ account: { email_verified_at: string } }>(
      METHODS.getAccount,
      {},
      bearing(session.token),
    );
    expect(account.email_verified_at).toEqual(A_TIME);
  });

  test("an owner verifies an unverified address by requesting a link", async () => {
    const person = new Person(placeOf(gateway), rest);
    const { store } = gateway;
    await store.createAccount({ id: "a-bob", name: "bob", email: "Bob@example.com" });
    await person.take(METHODS.requestPasswordReset, { email: "bob@example.com" });
    const { token } = await nextLink(smtp, "bob@example.com");
    await person.take(METHODS.resetPassword, { token, new_password: NEXT_PASSWORD });
    const verified = { reason: "FAILED_PRECONDITION", message: "The e-mail address is already verified." } as const;
    const started = await person.take<{ session: { token: string } }>(METHODS.signIn, {
      email: "bob@example.com",
      password: NEXT_PASSWORD,
    });
    const session = bearing(started.session.token);
    await person.fail(METHODS.sendVerification, {}, { ...verified, preconditionSubject: "account" }, session);
  });

  test.each(CLIENTS)(
    "an owner changes the address with the password and a link to the new one, and the old one is notified, by $name",
    async (client) => {
      const owner = new Person(placeOf(gateway), client);
      const [email, next] = [emailOf(client, "before"), emailOf(client, "after")];
      const passwordHash = await quickPasswords.hash(PASSWORD);
      const id = systemRandomness.uuid();
      await gateway.store.createOwnedAccount({ id, name: email.split("@")[0] ?? "", email }, passwordHash);
      const { session } = await owner.take<{ session: { token: string } }>(METHODS.signIn, { email, password: PASSWORD });
      const change = { new_email: next.toUpperCase(), password: PASSWORD };
      const wrong = badInput({ field: "password", description: "is wrong" });
      await owner.fail(METHODS.changeEmail, { ...change, password: "wrong" }, wrong, bearing(session.token));
      const same = badInput({ field: "new_email", description: "is already the account's address" });
      await owner.fail(METHODS.changeEmail, { ...change, new_email: email }, same, bearing(session.token));
      const shape = badInput({ field: "new_email", description: "must be an e-mail address like name@example.com" });
      await owner.fail(METHODS.changeEmail, { ...change, new_email: "ada" }, shape, bearing(session.token));
      await owner.get(METHODS.changeEmail, change, { mail_sent: true }, bearing(session.token));
      expect((await smtp.nextMail(email)).source).toContain("is about to change");
      const { page, token } = await nextLink(smtp, next);
      expect(page).toBe("/app/change-email");
      // A stranger who reads the e-mail at a mistyped address gets no account.
      await owner.fail(METHODS.verifyEmail, { token, password: NEXT_PASSWORD }, WRONG_PASSWORD);
      const { session: other } = await owner.take<{ session: { token: string } }>(METHODS.signIn, { email, password: PASSWORD });
      await owner.get(METHODS.verifyEmail, { token, password: PASSWORD }, {});
      await owner.fail(METHODS.verifyEmail, { token, password: PASSWORD }, LINK_OVER);
      expect((await smtp.nextMail(email)).source).toContain("was changed");
      await owner.fail(METHODS.signIn, { email, password: PASSWORD }, SIGN_IN_FAILED);
      for (const { token: ended } of [session, other]) {
        await owner.fail(METHODS.getAccount, {}, SESSION_INVALID, bearing(ended));
      }
      const { session: begun } = await owner.take<{ session: { token: string } }>(METHODS.signIn, {
        email: next,
        password: PASSWORD,
      });
      const { account } = await owner.take<{ account: object }>(METHODS.getAccount, {}, bearing(begun.token));
      expect(account).toMatchObject({ id, email: next, email_verified_at: A_TIME });
    },
  );

  test("an account that would bring a second free plan to its new mailbox is told so, and keeps its address", async () => {
    const owner = new Person(placeOf(gateway), rest);
    const passwordHash = await quickPasswords.hash(PASSWORD);
    const [from, to] = ["free@example.com", "both+2@example.com"];
    for (const [id, email] of [["a-free", from] as const, ["a-both", "both@example.com"] as const]) {
      const tokenHash = `sign-up-${id}`;
      const expiresAtMs = gateway.clock.nowMs() + 60_000;
      await gateway.store.addMailToken({ tokenHash, purpose: "sign_up", email, accountId: null, expiresAtMs });
      await gateway.store.verifyEmail(tokenHash, { id, name: id, passwordHash });
      await gateway.store.createSubscription({ id: `s-${id}`, accountId: id, service: "farkle", plan: "free", state: "active" });
    }
    const { session } = await owner.take<{ session: { token: string } }>(METHODS.signIn, { email: from, password: PASSWORD });
    await owner.get(METHODS.changeEmail, { new_email: to, password: PASSWORD }, { mail_sent: true }, bearing(session.token));
    const { token } = await nextLink(smtp, to);
    const refused = await owner.call(METHODS.verifyEmail, { token, password: PASSWORD });
    expect(refused.code).toBe("FAILED_PRECONDITION");
    expect(JSON.stringify(refused)).toContain("Another account with your mailbox has the free plan of farkle");
    await gateway.store.cancel("s-a-both");
    await owner.get(METHODS.verifyEmail, { token, password: PASSWORD }, {});
  });

  test.each(CLIENTS)("an operator resets a lost second factor, and the owner is notified, by $name", async (client) => {
    const person = new Person(placeOf(gateway), client);
    const [email, operatorsEmail] = [emailOf(client, "lost"), emailOf(client, "ops")];
    const passwordHash = await quickPasswords.hash(PASSWORD);
    const [id, operatorsId] = [systemRandomness.uuid(), systemRandomness.uuid()];
    await gateway.store.createOwnedAccount({ id, name: email, email }, passwordHash);
    await gateway.store.createOwnedAccount({ id: operatorsId, name: operatorsEmail, email: operatorsEmail }, passwordHash);
    await gateway.store.setOperator(operatorsId, true);
    const signIn = async (address: string) =>
      (await person.take<{ session?: { token: string } }>(METHODS.signIn, { email: address, password: PASSWORD })).session?.token;
    const owner = await signIn(email);
    const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    await gateway.store.prepareTwoFactor(id, secret);
    const change = { secret, step: 1, recoveryHashes: [hashSecret("one")], currentTokenHash: hashSecret(owner ?? "") };
    await gateway.store.turnOnTwoFactor(id, change);
    expect(await signIn(email)).toBeUndefined();
    const operator = bearing((await signIn(operatorsEmail)) ?? "");
    const account = { id, name: email, email, suspended: false, created_at: A_TIME };
    const before = await person.take<object>(OPERATOR.getAccount, { account_id: id }, operator);
    expect(before).toMatchObject({ two_factor_since: A_TIME, recovery_codes_left: 1 });
    await person.get(OPERATOR.resetTwoFactor, { account_id: id }, { account, mail_sent: true }, operator);
    const { source } = await smtp.nextMail(email);
    expect(source).toContain("Two-factor authentication at 127.0.0.1:8080 was reset");
    expect(source).toContain(`${PUBLIC_URL}/app/account`);
    expect(await signIn(email)).toEqual(expect.any(String));
    await person.fail(METHODS.getAccount, {}, SESSION_INVALID, bearing(owner ?? ""));
    const after = await person.take<object>(OPERATOR.getAccount, { account_id: id }, operator);
    expect(after).not.toHaveProperty("two_factor_since");
    const { entries } = await gateway.store.auditPage({ accountId: id, actions: ["account.turn_off_two_factor"], limit: 5 });
    expect(entries.map(({ actor }) => actor.name)).toEqual([operatorsId]);
  });

  test("a taken address gets the same response, and its owner an e-mail that says so", async () => {
    const person = new Person(placeOf(gateway), rest);
    const passwordHash = await quickPasswords.hash(PASSWORD);
    for (const name of ["mallory", "alice"]) {
      const account = { id: systemRandomness.uuid(), name, email: `${name}@example.com` };
      await gateway.store.createOwnedAccount(account, passwordHash);
    }
    const { session } = await person.take<{ session: { token: string } }>(METHODS.signIn, {
      email: "mallory@example.com",
      password: PASSWORD,
    });
    const change = { new_email: "alice@example.com", password: PASSWORD };
    await person.get(METHODS.changeEmail, change, { mail_sent: true }, bearing(session.token));
    const told = await smtp.nextMail("alice@example.com");
    expect(told.source).toContain("Subject: You have an account at");
    expect(told.source).not.toContain("token");
    await smtp.nextMail("mallory@example.com");
    // Neither address gets more than three, however many strangers are named.
    const codes = [];
    for (const stranger of ["one", "two", "three"]) {
      const asked = { new_email: `${stranger}@example.com`, password: PASSWORD };
      codes.push((await person.call(METHODS.changeEmail, asked, bearing(session.token))).code);
    }
    expect(codes).toEqual(["ok", "ok", "RESOURCE_EXHAUSTED"]);
  });

  test("an address gets at most three e-mails at once, and a link expires after an hour", async () => {
    // No other test has requested mail for this address.
    const gateway = await startGateway({ plans: PLANS, variables: variablesFor(smtp.url) });
    onTestFinished(() => gateway.close());
    const person = new Person(placeOf(gateway), rest);
    await gateway.store.createAccount({ id: "a-eve", name: "eve", email: "eve@example.com" });
    const requestReset = () => person.call(METHODS.requestPasswordReset, { email: "eve@example.com" });
    const seen = [await requestReset(), await requestReset(), await requestReset(), await requestReset()];
    expect(seen.map(({ code }) => code)).toEqual(["ok", "ok", "ok", "RESOURCE_EXHAUSTED"]);
    const { token } = await nextLink(smtp, "eve@example.com");
    const isGood = async () => (await gateway.store.findMailToken(hashSecret(token))) !== undefined;
    const before = await isGood();
    gateway.clock.advance(3_600_000);
    expect([before, await isGood()]).toEqual([true, false]);
  });
});

test.each(["dead", "silent"])("a %s SMTP server delays nobody, and no address or token is logged", async (how) => {
  const smtp = await startSmtp({ silent: true });
  onTestFinished(() => smtp.close());
  let logged = "";
  const write = (line: string): void => {
    logged += line;
  };
  const log = pino({ level: "debug", base: null }, { write });
  const url = how === "dead" ? "smtp://127.0.0.1:1" : smtp.url;
  const gateway = await startGateway({ plans: PLANS, variables: variablesFor(url), log });
  onTestFinished(() => gateway.close());
  const person = new Person(placeOf(gateway), rest);
  await gateway.store.createAccount({ id: "a-1", name: "acme", email: "ops@acme.example" });
  await person.take(METHODS.requestPasswordReset, { email: "ops@acme.example" });
  await person.take(METHODS.requestPasswordReset, { email: "nobody@acme.example" });
  await person.take(METHODS.signUp, { email: "ada@example.com", password: PASSWORD });
  if (how === "dead") {
    await expect.poll(() => logged).toContain("an e-mail could not be sent; it will be tried again");
  }
  expect(logged).not.toMatch(/acme\.example|example\.com|[0-9A-Za-z]{32}/);
});

test("a server that sends no mail promises none", async () => {
  const gateway = await startGateway({ plans: PLANS });
  onTestFinished(() => gateway.close());
  const none = forbidden("server", "This server does not send e-mail. Ask its operator for a new password.");
  const person = new Person(placeOf(gateway), rest);
  await person.fail(METHODS.requestPasswordReset, { email: "ada@example.com" }, none);
  await person.fail(METHODS.sendVerification, {}, none, await person.begin("ada@example.com"));
  await person.fail(METHODS.resetPassword, { token: "x".repeat(32), new_password: NEXT_PASSWORD }, LINK_OVER);
  await person.fail(METHODS.verifyEmail, { token: "x".repeat(32), password: PASSWORD }, LINK_OVER);
});

test("on a server that sends no mail, an address changes at once, and a code is needed if two-factor authentication is on", async () => {
  const gateway = await startGateway({ plans: PLANS });
  onTestFinished(() => gateway.close());
  const person = new Person(placeOf(gateway), rest);
  const other = new Person(placeOf(gateway), rest);
  await other.begin("bob@example.com");
  const session = await person.begin("ada@example.com");
  const change = (new_email: string, code = "") => ({ new_email, password: PASSWORD, code });
  const taken = badInput({ field: "new_email", description: "cannot be used for this account. Choose another address" });
  await person.fail(METHODS.changeEmail, change("BOB@example.com"), taken, session);
  const { session: elsewhere } = await person.take<{ session: { token: string } }>(METHODS.signIn, {
    email: "ada@example.com",
    password: PASSWORD,
  });
  await person.get(METHODS.changeEmail, change("ada2@example.com"), {}, session);
  await person.fail(METHODS.getAccount, {}, SESSION_INVALID, bearing(elsewhere.token));
  const { account } = await person.take<{ account: object }>(METHODS.getAccount, {}, session);
  expect(account).toMatchObject({ email: "ada2@example.com" });
  expect(account).not.toHaveProperty("email_verified_at");
  await person.fail(METHODS.signIn, { email: "ada@example.com", password: PASSWORD }, SIGN_IN_FAILED);
  const { secret } = await person.take<{ secret: string }>(METHODS.beginTwoFactor, { password: PASSWORD }, session);
  // The code at the time when it arrives.
  const code = (): string => codeAt(secret, gateway.clock.nowMs() + 1000);
  const confirmed = { code: code() };
  await person.take(METHODS.confirmTwoFactor, confirmed, session);
  const required = badInput({ field: "code", description: "is required, because two-factor authentication is on" });
  await person.fail(METHODS.changeEmail, change("ada3@example.com"), required, session);
  const used = badInput({
    field: "code",
    description: "is wrong, or was already used. Wait for the next one, and check that your phone's clock is right",
  });
  await person.fail(METHODS.changeEmail, change("ada3@example.com", confirmed.code), used, session);
  gateway.clock.advance(30_000);
  await person.get(METHODS.changeEmail, change("ada3@example.com", code()), {}, session);
});
