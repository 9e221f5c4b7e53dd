// Accepts an invitation whose link was opened. Whoever has no account yet chooses a password here: the link was mailed to them, so their
// address is proven. A user who is not signed in may also sign in and come back; the link is kept in memory.

import { ProfileService } from "../../../gen/quintet/account/v1/profile_pb.js";
import type { GetInvitationResponse } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import type { ApiProblem } from "../../api/problem.ts";
import { useMutation } from "../../api/use-mutation.ts";
import { useQuery } from "../../api/use-query.ts";
import { Button } from "../../components/ui/Button.tsx";
import { Form } from "../../components/ui/Form.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { Agreement } from "../Agreement.tsx";
import { NewPasswordField } from "../NewPasswordField.tsx";
import { ROLE_NAMES } from "../role-names.ts";
import { SignOutButton } from "../SignOutButton.tsx";
import { sendsMail } from "../server-facts.ts";
import { switchAccount } from "../shared-account.ts";
import { useNewSession } from "../use-new-session.ts";
import { useMailedLink } from "./mailed-link/mailed-link.ts";
import { useSignedIn } from "./sign-in/SignedIn.tsx";

const HERE = "/app/invitation";

let followed: string | undefined;

export default function Invitation() {
  const here = useMailedLink();
  followed = here.token ?? followed;
  const token = followed;
  const invitation = useQuery(SignInService.method.getInvitation, { token: token ?? "" }, { enabled: token !== undefined });
  const own = useSignedIn();
  const { mutate, isPending, problem } = useMutation(ProfileService.method.acceptInvitation);
  if (token === undefined || [invitation.problem, problem].some((one) => one?.fields.token !== undefined)) {
    return (
      <Heading
        title="This link does not work"
        lead="An invitation works once, expires after 7 days, and can be withdrawn. Open the link again, or ask for a new invitation."
      />
    );
  }
  const accept = async (): Promise<void> => {
    const joined = await mutate({ token });
    if (joined?.membership !== undefined) {
      followed = undefined;
      switchAccount(joined.membership.accountId);
    }
  };
  return (
    <Loaded query={invitation} rem={16}>
      {(found) => {
        const isOther = own !== undefined && own.email?.toLowerCase() !== found.email;
        return (
          <>
            <Heading title="You have been invited" lead={inviteText(found)} />
            {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
            {own === undefined ? (
              <NewMember token={token} email={found.email} onSignedIn={accept} />
            ) : isOther ? (
              <>
                <Notice tone="plain">
                  The invitation was sent to <strong>{found.email}</strong>, and you are signed in as{" "}
                  <strong>{own.email ?? own.name}</strong>. Sign out, and then open the link again.
                </Notice>
                <SignOutButton />
              </>
            ) : (
              <>
                <p>Your own account stays as it is.</p>
                <Button kind="primary" isBusy={isPending} onClick={() => void accept()}>
                  {isPending ? "Joining…" : `Join as ${own.email ?? own.name}`}
                </Button>
              </>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

function inviteText({ invitedBy, account, role }: GetInvitationResponse): string {
  const [article, whose] = [ROLE_NAMES[role].startsWith("o") ? "an" : "a", account === invitedBy ? "their account" : account];
  return `${invitedBy} invites you to share ${whose}, as ${article} ${ROLE_NAMES[role]}.`;
}

interface NewMemberProps {
  readonly token: string;
  readonly email: string;
  readonly onSignedIn: () => Promise<void>;
}

function NewMember({ token, email, onSignedIn }: NewMemberProps) {
  const proof = useMutation(SignInService.method.verifyEmail);
  const signUp = useMutation(SignInService.method.signUp);
  const signIn = useMutation(SignInService.method.signIn);
  const begin = useNewSession();
  const problem: ApiProblem | undefined = proof.problem ?? signUp.problem ?? signIn.problem;
  const isPending = proof.isPending || signUp.isPending || signIn.isPending;
  const join = async (values: FormData): Promise<void> => {
    const password = String(values.get("password"));
    // Without mail, nothing has been proven: the account is like any other.
    const started = !sendsMail()
      ? await signUp.mutate({ email, password, useCookie: true })
      : (await proof.mutate({ token, password })) &&
        (await signIn.mutate({ email, proof: { case: "password", value: password }, useCookie: true }));
    if (started?.outcome.case === "session") {
      begin(started.outcome.value, HERE);
      await onSignedIn();
    }
  };
  return (
    <>
      <Form problem={problem} names={["password"]} onSubmit={(values) => void join(values)}>
        <p>
          New here? Choose a password for <strong>{email}</strong>.
        </p>
        <NewPasswordField label="Password" name="password" error={problem?.fields.password} />
        <Agreement />
        <Button kind="primary" type="submit" isBusy={isPending}>
          {isPending ? "Joining…" : "Create account and join"}
        </Button>
      </Form>
      <p>
        Already have an account? <a href={`/app/sign-in?next=${encodeURIComponent(HERE)}`}>Sign in</a>
      </p>
    </>
  );
}
