// Invitations when the e-mail cannot be queued, and how many e-mails an address gets.
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { AcceptInvitationRequestSchema, InviteMemberRequestSchema, MemberRole } from "../../../gen/quintet/account/v1/member_pb.js";
import { OwnerNotices } from "../../../src/account/owner-notices.ts";
import { createMemberHandlers } from "../../../src/account/rpc/member-handlers.ts";
import type { Mail } from "../../../src/mail/mail.ts";
import { problemOf } from "../../../src/problem/failure.ts";
import { StoreUnavailable } from "../../../src/store/store-errors.ts";
import { createCountingRandomness } from "../../fixtures/counting-randomness.ts";
import { me, openTwoAccounts, other } from "./two-accounts.ts";

const invited = create(InviteMemberRequestSchema, { email: "ada@example.com", role: MemberRole.READER });

// The handlers of a server whose mail queue accepts e-mails or not.
async function openMailing(accepts: boolean) {
  const { store, clock } = await openTwoAccounts();
  const drafts: (() => Promise<Mail | undefined>)[] = [];
  const queue = {
    add: (draft: () => Promise<Mail | undefined>) => {
      drafts.push(draft);
      return accepts;
    },
  };
  const mail = { queue, publicUrl: "https://quintet.example" };
  const handlersOn = (on: typeof store) =>
    createMemberHandlers({
      ...{ store: on, clock, randomness: createCountingRandomness(), mail },
      notices: new OwnerNotices({ store: on, mail }),
      twoFactor: { requireIfOn: () => Promise.resolve() },
      requirePassword: () => Promise.resolve(),
    });
  return { store, clock, drafts, handlersOn, handlers: handlersOn(store) };
}

const reasonOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "OK",
    (error: unknown) => problemOf(error).reason,
  );

test("if too many e-mails wait, there is no invitation", async () => {
  const { store, handlers } = await openMailing(false);
  expect(await reasonOf(handlers.inviteMember(invited, me))).toBe("RATE_LIMITED");
  expect(await store.listInvitations("a-1")).toEqual([]);
});

test("an address gets three invitations at once, and another every ten minutes, whoever invites", async () => {
  const { clock, drafts, handlers } = await openMailing(true);
  const outcomes = [];
  for (const who of [me, other, me, other]) {
    outcomes.push(await reasonOf(handlers.inviteMember(invited, who)));
  }
  expect([outcomes, drafts.length]).toEqual([["OK", "OK", "OK", "RATE_LIMITED"], 3]);
  clock.advance(600_000);
  expect(await reasonOf(handlers.inviteMember(invited, me))).toBe("OK");
});

test("an invitation is accepted even if the owners to notify cannot be looked up", async () => {
  const { store, drafts, handlers, handlersOn } = await openMailing(true);
  const email = "guest@example.com";
  const guest = { ...other, accountId: "a-3", personId: "a-3" };
  await store.createAccount({ id: guest.personId, name: "guest", email });
  await handlers.inviteMember(create(InviteMemberRequestSchema, { email, role: MemberRole.READER }), me);
  const token = /token=([^&\s]+)/.exec((await drafts[0]?.())?.text ?? "")?.[1] ?? "";
  const broken = handlersOn({ ...store, listMembers: () => Promise.reject(new StoreUnavailable("The store is away.")) });
  expect(await reasonOf(broken.acceptInvitation(create(AcceptInvitationRequestSchema, { token }), guest))).toBe("OK");
  expect((await store.listMembers(me.accountId)).map(({ id }) => id)).toContain(guest.personId);
});
