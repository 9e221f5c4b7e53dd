// Members of an account over the wire: the e-mail that invites a person, who can accept it, and under whose name members act. Which role
// each method needs is in authorisation.test.ts, and how streams end in watch-calls.test.ts.

import { hashSecret } from "@quintet/guard";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { quickPasswords } from "../../fixtures/quick-passwords.ts";
import { linkOf, type ReceivedMail, type SmtpServer, startSmtp } from "../../fixtures/servers/smtp.ts";
import { CLIENTS, type Client, rest } from "./clients.ts";
import { PLANS } from "./life.ts";
import { type Headers, METHODS, PASSWORD, Person, placeOf } from "./person.ts";
import { badInput, forbidden } from "./responses.ts";

const PUBLIC_URL = "http://127.0.0.1:8080";
const DAY_MS = 86_400_000;
const OVER = badInput({
  field: "token",
  description: "is not valid: the invitation was used, withdrawn or replaced, or has expired. Ask for another one",
});
const OTHER_ADDRESS = forbidden(
  "token",
  "The invitation was sent to another address. Sign in with the address that it was sent to.",
);
const NOT_A_MEMBER = {
  reason: "ACCOUNT_MISMATCH",
  message:
    "The x-quintet-account header names an account that you are not a member of. Sign in to that account, or leave the header out.",
} as const;

interface Invited {
  readonly invitation: Readonly<Record<"id" | "email" | "created_at" | "expires_at", string>>;
  readonly link?: string;
}

let smtp: SmtpServer;
let gateway: Gateway;
let people = 0;
beforeAll(async () => {
  smtp = await startSmtp();
  const variables = {
    QUINTET_SMTP_URL: smtp.url,
    QUINTET_MAIL_FROM: "Quintet <no-reply@example.com>",
    QUINTET_PUBLIC_URL: PUBLIC_URL,
  };
  gateway = await startGateway({ plans: PLANS, variables });
});
afterAll(async () => {
  await gateway.close();
  await smtp.close();
});

const naming = (accountId: string): Headers => ({ "x-quintet-account": accountId });
const tokenOf = (mail: ReceivedMail): string => new URLSearchParams(new URL(linkOf(mail)).hash.slice(1)).get("token") ?? "";

// Somebody with an account of their own, signed in.
async function newPerson(client: Client) {
  people += 1;
  const person = new Person(placeOf(gateway), client);
  const [id, email] = [systemRandomness.uuid(), `person${people}@example.com`];
  await gateway.store.createOwnedAccount({ id, name: `person${people}`, email }, await quickPasswords.hash(PASSWORD));
  const session = await person.signIn(email);
  return {
    ...{ id, email, person, session },
    invite: (whom: string, role = "MEMBER_ROLE_DEVELOPER") =>
      person.take<Invited>(METHODS.inviteMember, { email: whom, role, password: PASSWORD }, session),
  };
}

describe.each(CLIENTS)("by $name", (client) => {
  test("a person is invited by e-mail, joins once, and acts in the account under their own name", async () => {
    const [owner, guest, stranger] = [await newPerson(client), await newPerson(client), await newPerson(client)];
    const invited = await owner.invite(guest.email.toUpperCase());
    expect([invited.invitation.email, invited.link]).toEqual([guest.email, undefined]);
    const mail = await smtp.nextMail(guest.email);
    const unfolded = mail.source.replaceAll("\r\n ", " ");
    expect(unfolded).toContain(`Subject: ${owner.email} invites you to share an account at 127.0.0.1:8080`);
    expect(new URL(linkOf(mail))).toMatchObject({ origin: PUBLIC_URL, pathname: "/app/invitation", search: "" });
    const token = tokenOf(mail);
    await stranger.person.fail(METHODS.acceptInvitation, { token }, OTHER_ADDRESS, stranger.session);
    await owner.person.fail(METHODS.acceptInvitation, { token }, OTHER_ADDRESS, owner.session);
    const shared = { ...guest.session, ...naming(owner.id) };
    await guest.person.fail(METHODS.listKeys, {}, NOT_A_MEMBER, shared);
    const joined = await guest.person.take(METHODS.acceptInvitation, { token }, guest.session);
    expect(joined).toMatchObject({ membership: { account_id: owner.id, email: owner.email } });
    await guest.person.fail(METHODS.acceptInvitation, { token }, OVER, guest.session);
    await guest.person.take(METHODS.createKey, { name: "theirs" }, shared);
    await guest.person.take(METHODS.removeMember, { member_id: "me" }, shared);
    await guest.person.fail(METHODS.listKeys, {}, NOT_A_MEMBER, shared);
    const { results } = await owner.person.take<{ results: { action: string; actor: { kind: string; email?: string } }[] }>(
      METHODS.listActivity,
      {},
      owner.session,
    );
    const byWhom = results
      .slice(0, 4)
      .map(({ action, actor }) => [action, actor.kind.toLowerCase().split("_").at(-1), actor.email]);
    expect(byWhom).toEqual([
      ["member.leave", "member", guest.email],
      ["key.create", "member", guest.email],
      ["member.join", "member", guest.email],
      ["member.invite", "owner", owner.email],
    ]);
  });

  test("the link of an invitation creates the account of a person who has none, and says who invites", async () => {
    const owner = await newPerson(client);
    people += 1;
    const email = `person${people}@example.com`;
    const guest = new Person(placeOf(gateway), client);
    await owner.invite(email);
    const token = tokenOf(await smtp.nextMail(email));
    const invitation = { email, role: "developer", invited_by: owner.email, account: owner.email };
    expect(await guest.take(METHODS.getInvitation, { token })).toMatchObject(invitation);
    await guest.take(METHODS.verifyEmail, { token, password: PASSWORD });
    const account = await gateway.store.findAccount(email);
    expect(account?.emailVerifiedAtMs).toBeDefined();
    // The invitation is still open, but creates no second account.
    const hasAccount = { field: "email", description: "already has an account. Sign in to accept the invitation" };
    await guest.fail(METHODS.verifyEmail, { token, password: PASSWORD }, badInput(hasAccount));
    const session = await guest.signIn(email);
    const joined = await guest.take(METHODS.acceptInvitation, { token }, session);
    expect(joined).toMatchObject({ membership: { account_id: owner.id } });
    await guest.fail(METHODS.getInvitation, { token }, OVER);
    const linkOver = { field: "token", description: "is not valid: the link was used or has expired. Ask for another one" };
    await guest.fail(METHODS.verifyEmail, { token, password: PASSWORD }, badInput(linkOver));
  });

  test("an invitation ends when it is replaced or withdrawn, and only its link opens it", async () => {
    const [owner, guest] = [await newPerson(client), await newPerson(client)];
    const accept = (token: string, session = guest.session) =>
      guest.person.fail(METHODS.acceptInvitation, { token }, OVER, session);
    await owner.invite(guest.email);
    const first = tokenOf(await smtp.nextMail(guest.email));
    const { invitation } = await owner.invite(guest.email);
    expect(Date.parse(invitation.expires_at) - Date.parse(invitation.created_at)).toBe(7 * DAY_MS);
    const second = tokenOf(await smtp.nextMail(guest.email));
    await accept(first);
    for (const guess of [invitation.id, hashSecret(second), second.toLowerCase(), `${second} `, second.slice(1)]) {
      await accept(guess);
    }
    await owner.person.take(METHODS.withdrawInvitation, { invitation_id: invitation.id }, owner.session);
    await accept(second);
  });
});

test("an invitation gets the same response for an address with an account, without one, and with one that is suspended", async () => {
  const [owner, guest, suspended] = [await newPerson(rest), await newPerson(rest), await newPerson(rest)];
  await gateway.store.setSuspended(suspended.id, true);
  const responses = [];
  for (const email of [guest.email, "nobody.there@example.com", suspended.email]) {
    const seen = await owner.person.call(METHODS.inviteMember, { email, role: "MEMBER_ROLE_READER" }, owner.session);
    responses.push(
      JSON.stringify(seen)
        .replaceAll(email, "EMAIL")
        .replaceAll(/[0-9a-f-]{36}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, "*"),
    );
  }
  expect(new Set(responses).size).toBe(1);
});

test("what a member has is gone at once when their own account is suspended or deleted, and is back when it is resumed", async () => {
  const [owner, guest] = [await newPerson(rest), await newPerson(rest)];
  await owner.invite(guest.email, "MEMBER_ROLE_OWNER");
  const token = tokenOf(await smtp.nextMail(guest.email));
  await guest.person.take(METHODS.acceptInvitation, { token }, guest.session);
  await guest.invite("later@example.com");
  const shared = { ...guest.session, ...naming(owner.id) };
  const reasonOf = async () => (await guest.person.call(METHODS.listKeys, {}, shared)).code;
  await gateway.store.setSuspended(guest.id, true);
  expect(await reasonOf()).toBe("PERMISSION_DENIED");
  await gateway.store.setSuspended(guest.id, false);
  expect(await reasonOf()).toBe("ok");
  await guest.person.take(METHODS.inviteMember, { email: "after@example.com", role: "MEMBER_ROLE_READER" }, shared);
  await guest.person.take(METHODS.deleteAccount, { password: PASSWORD }, guest.session);
  expect(await reasonOf()).toBe("UNAUTHENTICATED");
  const members = await owner.person.take(METHODS.listMembers, {}, owner.session);
  // The invitations that they had sent for the account are gone too.
  expect(members).toMatchObject({ results: [{ email: owner.email, primary_owner: true }], invitations: [] });
  const activity = JSON.stringify(await owner.person.take(METHODS.listActivity, {}, owner.session));
  expect(activity).toContain("member.invite");
  expect(activity).not.toContain(guest.email);
});

test.each(["READER", "DEVELOPER", "OWNER"])(
  "a %s may leave by their own ID, and sees invitations only as an owner",
  async (role) => {
    const [owner, guest] = [await newPerson(rest), await newPerson(rest)];
    await owner.invite(guest.email, `MEMBER_ROLE_${role}`);
    await guest.person.take(METHODS.acceptInvitation, { token: tokenOf(await smtp.nextMail(guest.email)) }, guest.session);
    await owner.invite(`next-${role.toLowerCase()}@example.com`);
    const shared = { ...guest.session, ...naming(owner.id) };
    const { invitations } = await guest.person.take<{ invitations: object[] }>(METHODS.listMembers, {}, shared);
    expect(invitations.length).toBe(role === "OWNER" ? 1 : 0);
    await guest.person.take(METHODS.removeMember, { member_id: guest.id }, shared);
    await guest.person.fail(METHODS.listKeys, {}, NOT_A_MEMBER, shared);
  },
);

test("neither an invitation's token nor its address is logged", async () => {
  const owner = await newPerson(rest);
  const lines: string[] = [];
  const { pino } = await import("pino");
  const log = pino({ level: "debug", base: null }, { write: (line: string) => void lines.push(line) });
  const own = await startGateway({ plans: PLANS, log });
  onTestFinished(() => own.close());
  const person = new Person(placeOf(own), rest);
  const session = await person.begin(owner.email);
  const { link = "" } = await person.take<Invited>(
    METHODS.inviteMember,
    { email: "guest@example.com", role: "MEMBER_ROLE_READER" },
    session,
  );
  const token = new URLSearchParams(link.split("#")[1]).get("token") ?? "";
  const guest = await person.begin("guest@example.com");
  await person.take(METHODS.acceptInvitation, { token }, guest);
  expect([token.length, lines.join("")]).toEqual([32, expect.not.stringMatching(new RegExp(`${token}|guest@example`))]);
});
