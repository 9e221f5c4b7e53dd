// Verifies an address with the token of a link that came by mail. It asks for the password: whoever reads the mail may not have made the account.
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { ButtonLink } from "../../components/ui/Button.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { PasswordByLink } from "./mailed-link/PasswordByLink.tsx";

export default function Verify() {
  return (
    <PasswordByLink
      method={SignInService.method.verifyEmail}
      changes={[AccountService.method.getAccount]}
      input={(token, password) => ({ token, password })}
      title="Verify your address"
      lead="You came here by a link that was sent to it. Type your account's password, so that nobody verifies an account that is not theirs."
      field={{ label: "Password", name: "password", isNew: false }}
      button="Verify my address"
      busyButton="Verifying …"
      done={
        <>
          <Heading title="Your address is verified" lead="Our mail reaches you." />
          <ButtonLink kind="primary" href="/app">
            Go on
          </ButtonLink>
        </>
      }
      linkLasts="a day"
      otherwise={
        <p>
          <a href="/app/account">Your account's page</a> says whether the address is verified, and sends another link.
        </p>
      }
    />
  );
}
