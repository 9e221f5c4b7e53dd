// Accepts an invitation whose link was opened. A user who is not signed in signs in first and then comes back; the link is kept in memory.
import { ProfileService } from "../../../gen/quintet/account/v1/profile_pb.js";
import { useMutation } from "../../api/use-mutation.ts";
import { Button, ButtonLink } from "../../components/ui/Button.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { SignOutButton } from "../SignOutButton.tsx";
import { switchAccount } from "../shared-account.ts";
import { type MailedLink, useMailedLink } from "./mailed-link/mailed-link.ts";
import { useSignedIn } from "./sign-in/SignedIn.tsx";

const NEXT_QUERY = `?next=${encodeURIComponent("/app/invitation")}`;

let followed: MailedLink | undefined;

export default function Invitation() {
  const here = useMailedLink();
  if (here.token !== undefined) {
    followed = here;
  }
  const { token, email } = followed ?? here;
  const own = useSignedIn();
  const { mutate, isPending, problem } = useMutation(ProfileService.method.acceptInvitation);
  if (token === undefined || problem?.fields.token !== undefined) {
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
  if (own === undefined) {
    return (
      <>
        <Heading
          title="You have been invited"
          lead={`Someone invited you to their account. Sign in as ${email ?? "the person who was invited"} to join, or sign up with that address and then open the link again.`}
        />
        <p>
          <ButtonLink kind="primary" href={`/app/sign-in${NEXT_QUERY}`}>
            Sign in
          </ButtonLink>{" "}
          <ButtonLink href={`/app/sign-up${NEXT_QUERY}`}>Sign up</ButtonLink>
        </p>
      </>
    );
  }
  const isOther = email !== undefined && own.email?.toLowerCase() !== email.toLowerCase();
  return (
    <>
      <Heading title="You have been invited" lead="Someone invited you to their account. Your own account stays as it is." />
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      {isOther ? (
        <>
          <Notice tone="plain">
            The invitation was sent to <strong>{email}</strong>, and you are signed in as <strong>{own.email ?? own.name}</strong>.
            Sign out, and then open the link again.
          </Notice>
          <SignOutButton />
        </>
      ) : (
        <Button kind="primary" isBusy={isPending} onClick={() => void accept()}>
          {isPending ? "Joining…" : `Join as ${own.email ?? own.name}`}
        </Button>
      )}
    </>
  );
}
