// What the owners of an account are told by e-mail, and what a stolen session cannot do without the password.
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { codeAt } from "../../fixtures/authenticator.ts";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { quickPasswords } from "../../fixtures/quick-passwords.ts";
import { linkOf, type ReceivedMail, type SmtpServer, startSmtp, textOf } from "../../fixtures/servers/smtp.ts";
import { challengeOf, createSoftwarePasskey } from "../../fixtures/software-passkey.ts";
import { rest } from "./clients.ts";
import { PLANS } from "./life.ts";
import { type Headers, METHODS, PASSWORD, Person, placeOf } from "./person.ts";
import { badInput } from "./responses.ts";

const PUBLIC_URL = "http://localhost:8080";
const SITE = "localhost:8080";
const NEXT_PASSWORD = "six honest dice, thrown by hand";
const IF_NOT_YOU =
  "If it was not you, change your password now, which ends all other sessions, and look through your account page:";

let smtp: SmtpServer;
let gateway: Gateway;
let people = 0;
beforeAll(async () => {
  smtp = await startSmtp();
  const variables = { QUINTET_SMTP_URL: smtp.url, QUINTET_MAIL_FROM: "no-reply@example.com", QUINTET_PUBLIC_URL: PUBLIC_URL };
  gateway = await startGateway({ plans: PLANS, variables });
});
afterAll(async () => {
  await gateway.close();
  await smtp.close();
});

type Someone = Awaited<ReturnType<typeof newPerson>>;

// Somebody with an account of their own, signed in. Their own calls, and their next e-mail.
async function newPerson() {
  people += 1;
  const person = new Person(placeOf(gateway), rest);
  const [id, email] = [systemRandomness.uuid(), `person${people}@example.com`];
  await gateway.store.createOwnedAccount({ id, name: `person${people}`, email }, await quickPasswords.hash(PASSWORD));
  const session = await person.signIn(email);
  const take = <Output extends object = object>(method: Parameters<Person["take"]>[0], input: object, headers: Headers = {}) =>
    person.take<Output>(method, input as Record<string, string>, { ...session, ...headers });
  return { id, email, person, session, take, nextMail: () => smtp.nextMail(email) };
}

async function turnOnTwoFactor({ take }: Someone): Promise<() => string> {
  const { secret } = await take<{ secret: string }>(METHODS.beginTwoFactor, { password: PASSWORD });
  await take(METHODS.confirmTwoFactor, { code: codeAt(secret, gateway.clock.nowMs()) });
  return () => {
    gateway.clock.advance(30_000);
    return codeAt(secret, gateway.clock.nowMs());
  };
}

async function addPasskey({ take, id }: Someone): Promise<string> {
  const { options_json } = await take<{ options_json: string }>(METHODS.beginPasskey, { password: PASSWORD });
  const credential = createSoftwarePasskey("localhost", id, id).created({
    challenge: challengeOf(options_json),
    origin: PUBLIC_URL,
  });
  const { passkey } = await take<{ passkey: { id: string } }>(METHODS.createPasskey, {
    credential_json: credential,
    name: "Laptop",
  });
  return passkey.id;
}

const subjectOf = ({ source }: ReceivedMail): string | undefined =>
  /^Subject: (.*(?:\r\n .*)*)/m.exec(source)?.[1]?.replaceAll("\r\n", "");

test.each<{ what: string; act(who: Someone): Promise<unknown>; subject: string; text: string; page?: string }>([
  {
    what: "the password is changed",
    act: ({ take }) => take(METHODS.changePassword, { current_password: PASSWORD, new_password: NEXT_PASSWORD }),
    subject: `Your password at ${SITE} was changed`,
    text: `The password of your account at ${SITE} was changed, and all other sessions have ended.\n\nIf it was not you, ask for a new password now:`,
    page: "/app/forgot",
  },
  {
    what: "the password is reset by a link",
    async act({ take, email, nextMail }) {
      await take(METHODS.requestPasswordReset, { email });
      const token = new URLSearchParams(new URL(linkOf(await nextMail())).hash.slice(1)).get("token");
      await take(METHODS.resetPassword, { token, new_password: NEXT_PASSWORD });
    },
    subject: `Your password at ${SITE} was changed`,
    text: `The password of your account at ${SITE} was changed, and all other sessions have ended.\n\nIf it was not you, ask for a new password now:`,
    page: "/app/forgot",
  },
  {
    what: "two-factor authentication is turned on",
    act: turnOnTwoFactor,
    subject: `Two-factor authentication at ${SITE} was turned on`,
    text: `Two-factor authentication was turned on for your account at ${SITE}. Signing in now takes a code as well as the password.\n\n${IF_NOT_YOU}`,
  },
  {
    what: "two-factor authentication is turned off",
    async act(who) {
      const code = await turnOnTwoFactor(who);
      await who.take(METHODS.endTwoFactor, { password: PASSWORD, code: code() });
    },
    subject: `Two-factor authentication at ${SITE} was turned off`,
    text: `Two-factor authentication was turned off for your account at ${SITE}. The password alone is enough to sign in.\n\n${IF_NOT_YOU}`,
  },
  {
    what: "recovery codes are replaced",
    async act(who) {
      const code = await turnOnTwoFactor(who);
      await who.take(METHODS.replaceRecoveryCodes, { password: PASSWORD, code: code() });
    },
    subject: `Your recovery codes at ${SITE} were replaced`,
    text: `New recovery codes were made for your account at ${SITE}. The earlier ones no longer work.\n\n${IF_NOT_YOU}`,
  },
  {
    what: "a passkey is added",
    act: addPasskey,
    subject: `A passkey was added to your account at ${SITE}`,
    text: `The passkey "Laptop" was added to your account at ${SITE}. Whoever has it can sign in without the password.\n\nIf it was not you, delete the passkey now, and change your password:`,
  },
  {
    what: "a passkey is deleted",
    async act(who) {
      await who.take(METHODS.deletePasskey, { passkey_id: await addPasskey(who), password: PASSWORD });
    },
    subject: `A passkey was deleted from your account at ${SITE}`,
    text: `The passkey "Laptop" was deleted from your account at ${SITE}, and can no longer be used to sign in.\n\n${IF_NOT_YOU}`,
  },
])("the owner is told that $what", async ({ act, subject, text, page = "/app/account" }) => {
  const who = await newPerson();
  await act(who);
  let mail = await who.nextMail();
  // Two that follow each other may overtake each other.
  while (subjectOf(mail) !== subject) {
    mail = await who.nextMail();
  }
  expect(textOf(mail)).toEqual(`${text}\n\n${PUBLIC_URL}${page}\n`);
  expect(mail.source).toMatch(/^Content-Type: text\/plain; charset=utf-8$/m);
});

test("all owners are told of an invitation, of who joins, and of a new owner; readers are not", async () => {
  const [first, second, reader, late] = [await newPerson(), await newPerson(), await newPerson(), await newPerson()];
  const join = async (guest: Someone, role: string): Promise<void> => {
    const proof = role.endsWith("OWNER") ? { password: PASSWORD } : {};
    await first.take(METHODS.inviteMember, { email: guest.email, role, ...proof });
    const token = new URLSearchParams(new URL(linkOf(await guest.nextMail())).hash.slice(1)).get("token");
    await guest.take(METHODS.acceptInvitation, { token });
  };
  // The next e-mails, in the order of their subjects: they may overtake each other.
  const told = async (who: Someone, count: number) => {
    const mails = [];
    for (let number = 0; number < count; number++) {
      const mail = await who.nextMail();
      expect(linkOf(mail)).toBe(`${PUBLIC_URL}/app/members`);
      mails.push([subjectOf(mail), textOf(mail).split("\n")[0]]);
    }
    return mails.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  };
  const at = `the account ${first.email} at ${SITE}`;
  await join(second, "MEMBER_ROLE_OWNER");
  expect(await told(first, 2)).toEqual([
    [`${second.email} joined ${first.email} at ${SITE}`, `${second.email} has accepted an invitation to ${at}, as an owner.`],
    [
      `${second.email} was invited to ${first.email} at ${SITE}`,
      `${first.email} has invited ${second.email} to ${at}, as an owner.`,
    ],
  ]);
  await join(reader, "MEMBER_ROLE_READER");
  for (const owner of [first, second]) {
    expect(await told(owner, 2)).toEqual([
      [`${reader.email} joined ${first.email} at ${SITE}`, `${reader.email} has accepted an invitation to ${at}, as a reader.`],
      [
        `${reader.email} was invited to ${first.email} at ${SITE}`,
        `${first.email} has invited ${reader.email} to ${at}, as a reader.`,
      ],
    ]);
  }
  // By the other owner, with a password of their own.
  const change = { member_id: reader.id, role: "MEMBER_ROLE_OWNER", password: PASSWORD };
  await second.take(METHODS.changeMemberRole, change, { "x-quintet-account": first.id });
  for (const owner of [first, second, reader]) {
    expect(await told(owner, 1)).toEqual([
      [
        `${reader.email} is now an owner of ${first.email} at ${SITE}`,
        `${second.email} has made ${reader.email} an owner of ${at}. Owners can change its plans and its members.`,
      ],
    ]);
  }
  await first.take(METHODS.inviteMember, { email: late.email, role: "MEMBER_ROLE_DEVELOPER" });
  expect(smtp.mails.filter(({ to }) => to.includes(reader.email))).toHaveLength(2);
});

test("nobody becomes an owner without the password of the owner who says so, and their code", async () => {
  const [owner, guest] = [await newPerson(), await newPerson()];
  await owner.take(METHODS.inviteMember, { email: guest.email, role: "MEMBER_ROLE_READER" });
  const token = new URLSearchParams(new URL(linkOf(await guest.nextMail())).hash.slice(1)).get("token");
  await guest.take(METHODS.acceptInvitation, { token });
  const attempts = [
    [METHODS.inviteMember, { email: "thief@example.com", role: "MEMBER_ROLE_OWNER" }],
    [METHODS.changeMemberRole, { member_id: guest.id, role: "MEMBER_ROLE_OWNER" }],
  ] as const;
  const refuse = async (proof: Readonly<Record<string, string>>, field: string, description: string) => {
    for (const [method, input] of attempts) {
      await owner.person.fail(method, { ...input, ...proof }, badInput({ field, description }), owner.session);
    }
  };
  await refuse({}, "password", "is required to make somebody an owner");
  await refuse({ password: "not the password" }, "password", "is wrong");
  const code = await turnOnTwoFactor(owner);
  await refuse({ password: PASSWORD }, "code", "is required, because two-factor authentication is on");
  await refuse({ password: PASSWORD, code: "000000" }, "code", WRONG_CODE);
  expect((await gateway.store.listMembers(owner.id)).map(({ role }) => role)).toEqual(["owner", "reader"]);
  expect(await gateway.store.listInvitations(owner.id)).toEqual([]);
  for (const [method, input] of attempts) {
    await owner.take(method, { ...input, password: PASSWORD, code: code() });
  }
  expect((await gateway.store.listMembers(owner.id)).map(({ role }) => role)).toEqual(["owner", "owner"]);
});

const WRONG_CODE = "is wrong, or was already used. Wait for the next one, and check that your phone's clock is right";
