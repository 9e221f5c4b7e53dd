// Changes the account's address with the token of a link that was mailed to the new one. It asks for the password: the new address may have
// been mistyped, and then a stranger would get the e-mail.
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { useMailedLink } from "./mailed-link/mailed-link.ts";
import { DoneByLink, PasswordByLink } from "./mailed-link/PasswordByLink.tsx";

export default function ChangeEmail() {
  return (
    <PasswordByLink
      link={useMailedLink()}
      method={SignInService.method.verifyEmail}
      input={(token, password) => ({ token, password })}
      title="Confirm your new e-mail address"
      lead="You opened the link we sent you. Enter your account's password to change the address. This signs you out everywhere."
      field={{ label: "Password", name: "password", isNew: false }}
      button="Change e-mail address"
      busyButton="Changing…"
      done={
        <DoneByLink
          title="Your e-mail address has been changed"
          lead="You have been signed out everywhere. Sign in with the new address."
        >
          <p>Your existing keys still work. Revoke any that you do not recognise.</p>
        </DoneByLink>
      }
      linkLifetime="a day"
      otherwise={
        <p>
          <a href="/app/account">Your account page</a> can send you another link.
        </p>
      }
    />
  );
}
