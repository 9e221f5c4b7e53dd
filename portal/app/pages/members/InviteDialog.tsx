// Invites a person. On a server that does not send mail, shows the link, which the owner has to pass on.
import { useState } from "preact/hooks";
import { MemberRole, MemberService } from "../../../../gen/quintet/account/v1/member_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { CopyBlock } from "../../../components/ui/CopyBlock.tsx";
import { Dialog, DialogActions } from "../../../components/ui/Dialog.tsx";
import { Field, SelectField } from "../../../components/ui/Field.tsx";
import { Form } from "../../../components/ui/Form.tsx";
import { ROLE_CHOICES, ROLES_HINT } from "../../role-names.ts";
import { OWNER_PROOF_NAMES, OwnerProofFields, ownerProofOf } from "../account/ProofFields.tsx";

const { inviteMember, listMembers } = MemberService.method;

/** `onSent` gets the address that a mail was sent to. */
export function InviteDialog({ onSent, onClose }: { readonly onSent: (email: string) => void; readonly onClose: () => void }) {
  const { mutate, isPending, problem } = useMutation(inviteMember, [listMembers]);
  const [role, setRole] = useState(String(MemberRole.DEVELOPER));
  const [made, setMade] = useState<{ readonly email: string; readonly link: string }>();
  const invite = async (values: FormData): Promise<void> => {
    const email = String(values.get("email")).trim();
    const invited = await mutate({ email, role: Number(values.get("role")), ...ownerProofOf(values) });
    if (invited?.link !== undefined) {
      setMade({ email, link: `${location.origin}${invited.link}` });
    } else if (invited !== undefined) {
      onSent(email);
    }
  };
  if (made !== undefined) {
    return (
      <Dialog title="Send this link yourself" onClose={onClose}>
        <p>
          This server does not send e-mail. Give {made.email} this link. It works once, expires after 7 days, and works only for
          that address. It will not be shown again.
        </p>
        <CopyBlock code={made.link} label="the link" />
        <DialogActions>
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <Dialog title="Invite member" onClose={onClose}>
      <Form problem={problem} names={["email", "role", ...OWNER_PROOF_NAMES]} onSubmit={(values) => void invite(values)}>
        <Field
          label="E-mail address"
          errorLabel="This"
          name="email"
          type="email"
          autocomplete="off"
          hint="They sign in or sign up with this address to accept."
          error={problem?.fields.email}
        />
        <SelectField
          label="Role"
          name="role"
          value={role}
          onChange={setRole}
          options={ROLE_CHOICES}
          hint={ROLES_HINT}
          error={problem?.fields.role}
        />
        {role === String(MemberRole.OWNER) && <OwnerProofFields problem={problem} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isPending}>
            {isPending ? "Inviting…" : "Invite"}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
