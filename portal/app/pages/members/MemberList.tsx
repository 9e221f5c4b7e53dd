// The members, each with a menu for owners.
import { useState } from "preact/hooks";
import { AccountService } from "../../../../gen/quintet/account/v1/account_pb.js";
import { type Member, MemberRole } from "../../../../gen/quintet/account/v1/member_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Badge } from "../../../components/ui/Badge.tsx";
import { Button } from "../../../components/ui/Button.tsx";
import { Dialog, DialogActions } from "../../../components/ui/Dialog.tsx";
import { Menu, MenuItem } from "../../../components/ui/Menu.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { Table } from "../../../components/ui/Table.tsx";
import { Day } from "../../../components/ui/Time.tsx";
import { useOwnAccount } from "../../role.ts";
import { ROLE_NAMES, roleTitle } from "../../role-names.ts";

const { listMembers, listInvitations, changeMemberRole, removeMember } = AccountService.method;
const ROLES = [MemberRole.READER, MemberRole.DEVELOPER, MemberRole.OWNER] as const;
const COLUMNS = [{ heading: "Member" }, { heading: "Role" }, { heading: "Joined" }];

const nameOf = ({ email, id }: Member): string => email ?? id;

export function MemberList({ members, isOwner }: { readonly members: readonly Member[]; readonly isOwner: boolean }) {
  const own = useOwnAccount();
  const change = useMutation(changeMemberRole, [listMembers, listInvitations]);
  const [removed, setRemoved] = useState<Member>();
  return (
    <>
      {change.problem !== undefined && <Notice tone="bad">{change.problem.message}</Notice>}
      <Table
        label="Members"
        stacks
        columns={isOwner ? [...COLUMNS, { heading: "Actions", isFigure: true }] : COLUMNS}
        rows={members.map((member) => ({
          key: member.id,
          cells: [
            <>
              {nameOf(member)} {member.id === own?.id && <Badge tone="good" label="You" />}
            </>,
            roleTitle(member),
            member.joinedAt && <Day key="since" at={member.joinedAt} />,
            // The primary owner and the user's own membership cannot be changed here.
            ...(isOwner
              ? [
                  member.isPrimaryOwner !== true && member.id !== own?.id && (
                    <Menu key="menu" label={`Actions for ${nameOf(member)}`}>
                      {ROLES.filter((role) => role !== member.role).map((role) => (
                        <MenuItem key={role} onClick={() => void change.mutate({ memberId: member.id, role })}>
                          Change role to {ROLE_NAMES[role]}
                        </MenuItem>
                      ))}
                      <MenuItem tone="danger" onClick={() => setRemoved(member)}>
                        Remove
                      </MenuItem>
                    </Menu>
                  ),
                ]
              : []),
          ],
        }))}
      />
      {removed !== undefined && <RemoveDialog member={removed} onClose={() => setRemoved(undefined)} />}
    </>
  );
}

function RemoveDialog({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const { mutate, isPending, problem } = useMutation(removeMember, [listMembers, listInvitations]);
  const remove = async (): Promise<void> => {
    if ((await mutate({ memberId: member.id })) !== undefined) {
      onClose();
    }
  };
  return (
    <Dialog title={`Remove ${nameOf(member)}`} onClose={onClose}>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <p>
        They lose access to this account immediately. Keys that they have seen still work: <a href="/app/keys">rotate</a> any that
        they should no longer use.
      </p>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" isBusy={isPending} onClick={() => void remove()}>
          {isPending ? "Removing…" : "Remove"}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
