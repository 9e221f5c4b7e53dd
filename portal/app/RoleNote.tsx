// Says why a page has no buttons: the user's role does not allow their actions.
import { MemberRole } from "../../gen/quintet/account/v1/member_pb.js";
import { Notice } from "../components/ui/Notice.tsx";
import { useRole } from "./role.ts";
import { ROLE_NAMES } from "./role-names.ts";

/** Shows nothing if the role allows it. `what` follows "cannot": `create or change keys`. */
export function RoleNote({ needs, what }: { readonly needs: MemberRole; readonly what: string }) {
  const role = useRole();
  if (role === undefined || role >= needs) {
    return null;
  }
  const needed = needs === MemberRole.OWNER ? "an owner" : "a developer or an owner";
  return (
    <Notice tone="plain">
      As a {ROLE_NAMES[role]} of this account, you cannot {what}. Only {needed} can. An owner can change your role.
    </Notice>
  );
}
