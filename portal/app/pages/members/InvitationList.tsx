// The pending invitations, for owners.
import { type Invitation, MemberService } from "../../../../gen/quintet/account/v1/member_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { Table } from "../../../components/ui/Table.tsx";
import { DateTime } from "../../../components/ui/Time.tsx";
import { roleTitle } from "../../role-names.ts";
import styles from "./InvitationList.module.css";

const { listMembers, withdrawInvitation } = MemberService.method;

export function InvitationList({ invitations }: { readonly invitations: readonly Invitation[] }) {
  const withdrawal = useMutation(withdrawInvitation, [listMembers]);
  return (
    <section class={styles.invitations}>
      <h2>Pending invitations</h2>
      {withdrawal.problem !== undefined && <Notice tone="bad">{withdrawal.problem.message}</Notice>}
      <Table
        label="Pending invitations"
        stacks
        columns={[{ heading: "Address" }, { heading: "Role" }, { heading: "Expires" }, { heading: "Actions", isFigure: true }]}
        rows={invitations.map(({ id, email, role, expiresAt }) => ({
          key: id,
          cells: [
            email,
            roleTitle({ role }),
            expiresAt && <DateTime key="until" at={expiresAt} />,
            <Button
              key="withdraw"
              label={`Withdraw the invitation to ${email}`}
              isBusy={withdrawal.isPending}
              onClick={() => void withdrawal.mutate({ invitationId: id })}
            >
              Withdraw
            </Button>,
          ],
        }))}
      />
    </section>
  );
}
