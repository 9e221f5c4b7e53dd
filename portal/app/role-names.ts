// The roles of members in words.
import { MemberRole } from "../../gen/quintet/account/v1/member_pb.js";

/** A role in words: `developer`. */
export const ROLE_NAMES: Readonly<Record<MemberRole, string>> = {
  [MemberRole.UNSPECIFIED]: "member",
  [MemberRole.READER]: "reader",
  [MemberRole.DEVELOPER]: "developer",
  [MemberRole.OWNER]: "owner",
};

/** What a list shows as somebody's role: `Developer`. */
export const roleTitle = ({
  role,
  primaryOwner = false,
}: {
  readonly role: MemberRole;
  readonly primaryOwner?: boolean | undefined;
}): string => {
  const name = primaryOwner ? "primary owner" : ROLE_NAMES[role];
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
};

/** The roles that can be given: value → label. */
export const ROLE_CHOICES = [
  [String(MemberRole.READER), "Reader"],
  [String(MemberRole.DEVELOPER), "Developer"],
  [String(MemberRole.OWNER), "Owner"],
] as const;

/** What each role allows. */
export const ROLES_HINT =
  "Readers see everything except secrets. Developers also manage keys, webhooks and alerts. Owners also manage subscriptions and members.";
