// Changes the account's address with the token of a link that was mailed to the new one. It asks for the password: the new address may have
// been mistyped, and then a stranger reads the e-mail.
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { ButtonLink } from "../../components/ui/Button.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { useMailedLink } from "./mailed-link/mailed-link.ts";
import { PasswordByLink } from "./mailed-link/PasswordByLink.tsx";

export default function ChangeEmail() {
  return (
    <PasswordByLink
      link={useMailedLink()}
      method={SignInService.method.verifyEmail}
      changes={[AccountService.method.getAccount]}
      input={(token, password) => ({ token, password })}
      title="Confirm your new address"
      lead="You followed the link we sent to it. Enter your account's password to change the address."
      field={{ label: "Password", name: "password", isNew: false }}
      button="Change my address"
      busyButton="Changing …"
      done={
        <>
          <Heading title="Your address has been changed" lead="Sign in with the new address from now on." />
          <ButtonLink kind="primary" href="/app/account">
            Continue
          </ButtonLink>
        </>
      }
      linkLasts="a day"
      otherwise={
        <p>
          <a href="/app/account">Your account's page</a> says which address the account has, and can send another link.
        </p>
      }
    />
  );
}
