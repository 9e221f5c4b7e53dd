// The roles of members in words.
import { MemberRole } from "../../gen/quintet/account/v1/member_pb.js";

/** A role in words: `developer`. */
export const ROLE_NAMES: Readonly<Record<MemberRole, string>> = {
  [MemberRole.UNSPECIFIED]: "member",
  [MemberRole.READER]: "reader",
  [MemberRole.DEVELOPER]: "developer",
  [MemberRole.OWNER]: "owner",
};

/** The roles that can be given: value → label. */
export const ROLE_CHOICES = [
  [String(MemberRole.READER), "Reader: sees everything except secrets"],
  [String(MemberRole.DEVELOPER), "Developer: also manages keys, webhooks and alerts"],
  [String(MemberRole.OWNER), "Owner: also manages subscriptions and members"],
] as const;
