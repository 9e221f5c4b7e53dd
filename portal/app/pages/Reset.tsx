// Sets a new password with the token of a mailed link.
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { ButtonLink } from "../../components/ui/Button.tsx";
import { useMailedLink } from "./mailed-link/mailed-link.ts";
import { DoneByLink, PasswordByLink } from "./mailed-link/PasswordByLink.tsx";

export default function Reset() {
  return (
    <PasswordByLink
      link={useMailedLink()}
      method={SignInService.method.resetPassword}
      input={(token, newPassword) => ({ token, newPassword })}
      title="Choose a new password"
      lead="This signs you out everywhere. Your keys keep working."
      field={{ label: "New password", name: "new_password", isNew: true }}
      button="Set password"
      busyButton="Saving…"
      done={
        <DoneByLink title="Your password is set" lead="You have been signed out everywhere. Sign in with the new password.">
          <p>Your existing keys still work. Revoke any that you do not recognise.</p>
        </DoneByLink>
      }
      linkLifetime="an hour"
      otherwise={
        <ButtonLink kind="primary" href="/app/forgot">
          Get another link
        </ButtonLink>
      }
    />
  );
}
