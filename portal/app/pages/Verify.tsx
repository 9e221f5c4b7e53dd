// Verifies an address with the token of a mailed link. It asks for the password: the reader of the e-mail may not have created the account.
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { ButtonLink } from "../../components/ui/Button.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { useMailedLink } from "./mailed-link/mailed-link.ts";
import { PasswordByLink } from "./mailed-link/PasswordByLink.tsx";

export default function Verify() {
  return (
    <PasswordByLink
      link={useMailedLink()}
      method={SignInService.method.verifyEmail}
      changes={[AccountService.method.getAccount]}
      input={(token, password) => ({ token, password })}
      title="Verify your e-mail address"
      lead="You opened the link we sent you. Enter your password, so that nobody else can verify your account."
      field={{ label: "Password", name: "password", isNew: false }}
      button="Verify e-mail address"
      busyButton="Verifying…"
      done={
        <>
          <Heading title="Your e-mail address is verified" lead="We can now send you e-mails." />
          <ButtonLink kind="primary" href="/app">
            Continue
          </ButtonLink>
        </>
      }
      linkLifetime="a day"
      otherwise={
        <p>
          <a href="/app/account">Your account page</a> shows whether your address is verified, and can send you another link.
        </p>
      }
    />
  );
}
