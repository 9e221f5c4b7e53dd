// Lists the people who may use the account, and the pending invitations. Members can leave another person's account here.
import { useState } from "preact/hooks";
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { MemberRole, MemberService } from "../../../gen/quintet/account/v1/member_pb.js";
import { useMutation } from "../../api/use-mutation.ts";
import { useQuery } from "../../api/use-query.ts";
import { Button } from "../../components/ui/Button.tsx";
import { Dialog, DialogActions } from "../../components/ui/Dialog.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { RoleNote } from "../RoleNote.tsx";
import { useHasRole } from "../role.ts";
import { switchAccount } from "../shared-account.ts";
import { useDialogInUrl } from "../use-dialog-in-url.ts";
import styles from "./Account.module.css";
import { InvitationList } from "./members/InvitationList.tsx";
import { InviteDialog } from "./members/InviteDialog.tsx";
import { MemberList } from "./members/MemberList.tsx";

const { getAccount } = AccountService.method;
const { listMembers, removeMember } = MemberService.method;

export default function Members() {
  const { account } = useQuery(getAccount, {}).data ?? {};
  const members = useQuery(listMembers, {});
  const isOwner = useHasRole(MemberRole.OWNER);
  const dialog = useDialogInUrl();
  const [sent, setSent] = useState<string>();
  return (
    <>
      <Heading title="Members" lead="People who can use this account. Each signs in with their own e-mail address and password.">
        {isOwner && (
          <Button kind="primary" onClick={() => dialog.open("invite")}>
            Invite member
          </Button>
        )}
      </Heading>
      <RoleNote needs={MemberRole.OWNER} what="invite people or change their roles" />
      {sent !== undefined && (
        <Notice tone="good" onClose={() => setSent(undefined)}>
          We sent an invitation to {sent}.
        </Notice>
      )}
      <Loaded query={members} rem={12}>
        {({ results, invitations }) => (
          <>
            <MemberList members={results} isOwner={isOwner} />
            {invitations.length > 0 && <InvitationList invitations={invitations} />}
          </>
        )}
      </Loaded>
      {account?.role !== undefined && (
        <section class={styles.section}>
          <h2>Leave account</h2>
          <p>You lose access immediately. Your own account is not affected.</p>
          <Button kind="danger" onClick={() => dialog.open("leave")}>
            Leave account
          </Button>
        </section>
      )}
      {dialog.name === "invite" && isOwner && (
        <InviteDialog
          onSent={(email) => {
            setSent(email);
            dialog.close();
          }}
          onClose={dialog.close}
        />
      )}
      {dialog.name === "leave" && account?.role !== undefined && (
        <LeaveDialog name={account.email ?? account.name} onClose={dialog.close} />
      )}
    </>
  );
}

function LeaveDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { mutate, isPending, problem } = useMutation(removeMember);
  const leave = async (): Promise<void> => {
    if ((await mutate({ memberId: "me" })) !== undefined) {
      switchAccount(undefined);
    }
  };
  return (
    <Dialog title="Leave account" onClose={onClose}>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <p>You will lose access to the account of {name}, unless one of its owners invites you again.</p>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" isBusy={isPending} onClick={() => void leave()}>
          {isPending ? "Leaving…" : "Leave"}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
