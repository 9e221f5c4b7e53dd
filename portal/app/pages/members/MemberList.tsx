// The members, each with a menu for owners.
import { useState } from "preact/hooks";
import { type Member, MemberRole, MemberService } from "../../../../gen/quintet/account/v1/member_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Badge } from "../../../components/ui/Badge.tsx";
import { Button } from "../../../components/ui/Button.tsx";
import { Dialog, DialogActions } from "../../../components/ui/Dialog.tsx";
import { Form } from "../../../components/ui/Form.tsx";
import { Menu, MenuItem } from "../../../components/ui/Menu.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { Table } from "../../../components/ui/Table.tsx";
import { Day } from "../../../components/ui/Time.tsx";
import { ConfirmButtons } from "../../DialogButtons.tsx";
import { useOwnAccount } from "../../role.ts";
import { ROLE_NAMES, roleTitle } from "../../role-names.ts";
import { OWNER_PROOF_NAMES, OwnerProofFields, ownerProofOf } from "../account/ProofFields.tsx";

const { listMembers, changeMemberRole, removeMember } = MemberService.method;
const ROLES = [MemberRole.READER, MemberRole.DEVELOPER, MemberRole.OWNER] as const;
const COLUMNS = [{ heading: "Member" }, { heading: "Role" }, { heading: "Joined" }];

const nameOf = ({ email, id }: Member): string => email ?? id;

export function MemberList({ members, isOwner }: { readonly members: readonly Member[]; readonly isOwner: boolean }) {
  const own = useOwnAccount();
  const change = useMutation(changeMemberRole, [listMembers]);
  const [removed, setRemoved] = useState<Member>();
  const [promoted, setPromoted] = useState<Member>();
  const changeRole = (member: Member, role: MemberRole): void => {
    if (role === MemberRole.OWNER) {
      setPromoted(member);
    } else {
      void change.mutate({ memberId: member.id, role });
    }
  };
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
                  member.primaryOwner !== true && member.id !== own?.id && (
                    <Menu key="menu" label={`Actions for ${nameOf(member)}`}>
                      {ROLES.filter((role) => role !== member.role).map((role) => (
                        <MenuItem key={role} onClick={() => changeRole(member, role)}>
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
      {promoted !== undefined && <MakeOwnerDialog member={promoted} onClose={() => setPromoted(undefined)} />}
      {removed !== undefined && <RemoveDialog member={removed} onClose={() => setRemoved(undefined)} />}
    </>
  );
}

function MakeOwnerDialog({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const { mutate, isPending, problem } = useMutation(changeMemberRole, [listMembers]);
  const promote = async (values: FormData): Promise<void> => {
    if ((await mutate({ memberId: member.id, role: MemberRole.OWNER, ...ownerProofOf(values) })) !== undefined) {
      onClose();
    }
  };
  return (
    <Dialog title={`Make ${nameOf(member)} an owner`} onClose={onClose}>
      <p>Owners can change plans, invite people and remove members.</p>
      <Form problem={problem} names={OWNER_PROOF_NAMES} onSubmit={(values) => void promote(values)}>
        <OwnerProofFields problem={problem} />
        <ConfirmButtons label="Make owner" busyLabel="Changing…" isBusy={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}

function RemoveDialog({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const { mutate, isPending, problem } = useMutation(removeMember, [listMembers]);
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
