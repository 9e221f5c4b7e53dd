// The methods for members and invitations.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { hashSecret } from "@quintet/guard";
import type {
  InvitationSchema,
  InviteMemberRequest,
  RemoveMemberRequest,
  MemberRole as Role,
} from "../../../gen/quintet/account/v1/member_pb.js";
import { Failure } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Randomness } from "../../runtime/randomness.ts";
import type { Invitation, MemberRole } from "../../store/owner-records.ts";
import type { AdminStore } from "../../store/store.ts";
import { requireEmail } from "../accounts.ts";
import { invitationMail } from "../mail-texts.ts";
import type { MailSending } from "../mailed-links.ts";
import type { OwnerNotices } from "../owner-notices.ts";
import { mailQueueFull, roleRequired, tooManyInvitations } from "../refusals.ts";
import { generateToken } from "../tokens.ts";
import type { TwoFactorSignIn } from "../two-factor.ts";
import { type AccountHandlers, asOwner, failOnConflict, notFound, type RequirePassword, type SignedIn } from "./handlers.ts";
import { INVALID_INVITATION, personNameOf } from "./mail-handlers.ts";
import { MailThrottle } from "./mail-throttle.ts";
import { MEMBER_ROLE_MESSAGES, memberMessage, membershipMessage } from "./messages.ts";

const INVITATION_LIFETIME_MS = 7 * 86_400_000;

const ROLES: ReadonlyMap<Role, MemberRole> = new Map(
  Object.entries(MEMBER_ROLE_MESSAGES).map(([role, message]) => [message, role as MemberRole]),
);

interface MemberHandlerOptions {
  readonly store: AdminStore;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Undefined on a server that does not send mail. */
  readonly mail?: MailSending | undefined;
  readonly twoFactor: Pick<TwoFactorSignIn, "requireIfOn">;
  readonly notices: OwnerNotices;
  readonly requirePassword: RequirePassword;
}

// What proves that the caller is the person that they have signed in as.
type Proof = Pick<InviteMemberRequest, "password" | "code">;

type MemberMethods =
  | "listMembers"
  | "changeMemberRole"
  | "removeMember"
  | "inviteMember"
  | "withdrawInvitation"
  | "acceptInvitation";

export function createMemberHandlers({
  store,
  clock,
  randomness,
  mail,
  twoFactor,
  notices,
  requirePassword,
}: MemberHandlerOptions): Pick<AccountHandlers, MemberMethods> {
  const mails = new MailThrottle(clock);

  // The link is stored before the mail is sent. If too many e-mails are queued, there is no invitation.
  const sendInvitation = async (
    who: SignedIn,
    invitation: Invitation,
    link: string,
    { queue, publicUrl }: MailSending,
  ): Promise<void> => {
    const drafted = invitationMail(invitation.email, {
      inviter: await personNameOf(store, who.personId),
      role: invitation.role,
      link: `${publicUrl}${link}`,
    });
    if (!queue.add(() => Promise.resolve(drafted))) {
      await asOwner(store, who).withdrawInvitation(who.accountId, invitation.id);
      throw new Failure(mailQueueFull());
    }
  };
  // Whoever has stolen a session must not install an owner, who would stay when the session ends.
  const requireProof = async (role: MemberRole, { password, code }: Proof, who: SignedIn): Promise<void> => {
    if (role !== "owner") {
      return;
    }
    if (password === "") {
      throw new Failure(invalidArgument([{ field: "password", description: "is required to make somebody an owner" }]));
    }
    await requirePassword(who, password);
    await twoFactor.requireIfOn(who.personId, code, asOwner(store, who));
  };
  const notifyOwners = async (
    kind: "memberInvited" | "memberJoined" | "ownerAppointed",
    { accountId, personId }: Pick<SignedIn, "accountId" | "personId">,
    { member, role }: { readonly member?: string; readonly role: MemberRole },
  ): Promise<void> => {
    if (mail !== undefined) {
      const [account, by] = [await personNameOf(store, accountId), await personNameOf(store, personId)];
      await notices.sendToOwners(
        accountId,
        { kind, member: member ?? by, account, role, by },
        kind === "memberJoined" ? personId : undefined,
      );
    }
  };
  const requireMember = async (accountId: string, id: string): Promise<void> => {
    if (id !== accountId && (await store.findMemberRole(accountId, id)) === undefined) {
      throw notFound("member", id);
    }
  };
  return {
    async listMembers(_, { accountId, role }) {
      const members = await store.listMembers(accountId);
      const invitations = role === "owner" ? await store.listInvitations(accountId) : [];
      return { results: members.map(memberMessage), invitations: invitations.map(invitationMessage) };
    },
    async changeMemberRole({ memberId, role: given, ...proof }, who) {
      const role = memberRole(given);
      await requireMember(who.accountId, memberId);
      await requireProof(role, proof, who);
      const member = await failOnConflict("member_id", () => asOwner(store, who).changeMemberRole(who.accountId, memberId, role));
      if (role === "owner") {
        await notifyOwners("ownerAppointed", who, { member: member.email ?? memberId, role }).catch(ignore);
      }
      return { member: memberMessage(member) };
    },
    async removeMember({ memberId: given }, who) {
      const memberId = given === "me" ? who.personId : given;
      await requireMember(who.accountId, memberId);
      await failOnConflict("member_id", () => asOwner(store, who).removeMember(who.accountId, memberId));
      return {};
    },
    async inviteMember({ email: given, role: givenRole, ...proof }, who) {
      const [email, role] = [requireEmail(given), memberRole(givenRole)];
      await requireProof(role, proof, who);
      mails.take("invitation", email);
      const token = generateToken(randomness);
      const invited = await failOnConflict("email", () =>
        asOwner(store, who).inviteMember({
          ...{ id: randomness.uuid(), accountId: who.accountId, invitedBy: who.personId },
          ...{ email, role, tokenHash: hashSecret(token), expiresAtMs: clock.nowMs() + INVITATION_LIFETIME_MS },
        }),
      );
      if ("waitMs" in invited) {
        throw new Failure(tooManyInvitations(invited.waitMs));
      }
      const { invitation } = invited;
      const link = invitationPath(token, email);
      if (mail !== undefined) {
        await sendInvitation(who, invitation, link, mail);
        await notifyOwners("memberInvited", who, { member: email, role }).catch(ignore);
      }
      return { invitation: invitationMessage(invitation), ...(mail === undefined && { link }) };
    },
    async withdrawInvitation({ invitationId }, who) {
      if (!(await asOwner(store, who).withdrawInvitation(who.accountId, invitationId))) {
        throw notFound("pending invitation", invitationId);
      }
      return {};
    },
    async acceptInvitation({ token }, { personId, peer }) {
      const asMember = store.by({ kind: "member", name: personId, origin: peer });
      const joined = await failOnConflict("token", () => asMember.acceptInvitation(hashSecret(token), personId));
      if (joined === undefined) {
        throw new Failure(invalidArgument([{ field: "token", description: INVALID_INVITATION }]));
      }
      const who = { accountId: joined.accountId, personId };
      await notifyOwners("memberJoined", who, { role: joined.role }).catch(ignore);
      return { membership: membershipMessage(joined) };
    },
  };
}

/** Throws a Failure if the caller is neither an owner nor the member to be removed. */
export function requireMayRemove({ memberId }: RemoveMemberRequest, { personId, role }: SignedIn): void {
  if (role !== "owner" && memberId !== "me" && memberId !== personId) {
    throw new Failure(roleRequired("owner", role));
  }
}

// A change has been made, whether or not the owners can be notified.
const ignore = (): void => {};

// The link without the server's address. The token is in the fragment, which browsers never send to a server. The fragment also contains
// the e-mail address, so that the page can say which address to sign in with.
const invitationPath = (token: string, email: string): string => `/app/invitation#${new URLSearchParams({ token, email })}`;

function memberRole(message: Role): MemberRole {
  const role = ROLES.get(message);
  if (role === undefined) {
    throw new Failure(invalidArgument([{ field: "role", description: "must be reader, developer or owner" }]));
  }
  return role;
}

const invitationMessage = ({
  id,
  email,
  role,
  createdAtMs,
  expiresAtMs,
}: Invitation): MessageInitShape<typeof InvitationSchema> => ({
  ...{ id, email, role: MEMBER_ROLE_MESSAGES[role] },
  ...{ createdAt: timestampFromMs(createdAtMs), expiresAt: timestampFromMs(expiresAtMs) },
});
