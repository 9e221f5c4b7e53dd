// Makes the account of who signed up, with the token of a link that came by mail. The password is chosen here, by whoever reads the mail.
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { DoneByLink, PasswordByLink } from "./mailed-link/PasswordByLink.tsx";

export default function Finish() {
  return (
    <PasswordByLink
      method={SignInService.method.verifyEmail}
      input={(token, password) => ({ token, password })}
      title="Finish signing up"
      lead="Type your password once more, or choose another: the account gets the one that you type here."
      field={{ label: "Password", name: "password", isNew: true }}
      button="Make my account"
      busyButton="Making your account …"
      done={
        <DoneByLink
          title="Your account is made"
          lead="Your address is verified. Sign in with the password that you have just typed."
        />
      }
      linkLasts="a day"
      otherwise={
        <p>
          Try to <a href="/app/sign-in">sign in</a>: it may have worked before. If not, <a href="/app/sign-up">sign up</a> again to
          get another link.
        </p>
      }
    />
  );
}
