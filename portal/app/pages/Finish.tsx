// Completes a sign-up with the token of a mailed link. The password is chosen here, so that only a reader of the mail can choose it.
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { DoneByLink, PasswordByLink } from "./mailed-link/PasswordByLink.tsx";

export default function Finish() {
  return (
    <PasswordByLink
      method={SignInService.method.verifyEmail}
      input={(token, password) => ({ token, password })}
      title="Finish signing up"
      lead="Enter your password again, or choose another one. You will sign in with the one you enter here."
      field={{ label: "Password", name: "password", isNew: true }}
      button="Create my account"
      busyButton="Creating your account …"
      done={
        <DoneByLink title="Your account is ready" lead="Your address is verified. Sign in with the password you just entered." />
      }
      linkLasts="a day"
      otherwise={
        <p>
          Try to <a href="/app/sign-in">sign in</a>: it may already have worked. If not, <a href="/app/sign-up">sign up</a> again to
          get another link.
        </p>
      }
    />
  );
}
