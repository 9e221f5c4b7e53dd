// Completes a sign-up with the token of a mailed link, and signs in. The password is chosen here, so that only somebody who
// can read the e-mail can choose it.
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { useMutation } from "../../api/use-mutation.ts";
import { Agreement } from "../Agreement.tsx";
import { pathAfterSignIn } from "../sign-in-path.ts";
import { useNewSession } from "../use-new-session.ts";
import { useMailedLink } from "./mailed-link/mailed-link.ts";
import { DoneByLink, PasswordByLink } from "./mailed-link/PasswordByLink.tsx";
import { useSignedIn } from "./sign-in/SignedIn.tsx";

export default function Finish() {
  const link = useMailedLink();
  const { mutate } = useMutation(SignInService.method.signIn);
  const begin = useNewSession();
  const own = useSignedIn();
  // If another account is signed in, its session is not replaced without asking.
  const signIn = async (email: string, password: string): Promise<void> => {
    const response = await mutate({ email, proof: { case: "password", value: password }, useCookie: true });
    if (response?.outcome.case === "session") {
      begin(response.outcome.value, pathAfterSignIn(link.next, location.origin));
    }
  };
  return (
    <PasswordByLink
      link={link}
      method={SignInService.method.verifyEmail}
      input={(token, password) => ({ token, password })}
      title="Finish signing up"
      lead={`Choose a password for ${link.email ?? "your account"}.`}
      note={<Agreement />}
      field={{ label: "Password", name: "password", isNew: true }}
      button="Create my account"
      busyButton="Creating your account…"
      {...(link.email !== undefined &&
        own === undefined && { onPasswordSet: (password: string) => signIn(link.email ?? "", password) })}
      done={
        <DoneByLink
          title="Your account is ready"
          lead="Your e-mail address is verified. Sign in with the password you just entered."
        />
      }
      linkLifetime="a day"
      otherwise={
        <p>
          Try to <a href="/app/sign-in">sign in</a>: your account may be ready. If not, <a href="/app/sign-up">sign up</a> again to
          get another link.
        </p>
      }
    />
  );
}
