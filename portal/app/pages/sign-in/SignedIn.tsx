// What stands in place of the form for signing in or signing up when somebody is signed in already: who it is, and the way on.
import { type Account, AccountService } from "../../../../gen/quintet/account/v1/account_pb.js";
import { useQuery } from "../../../api/use-query.ts";
import { ButtonLink } from "../../../components/ui/Button.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { SignOutButton } from "../../SignOutButton.tsx";
import styles from "./SignedIn.module.css";

/** The account of the session that there is; undefined where there is none, or nobody knows yet. */
export function useSignedIn(): Account | undefined {
  const { data, problem } = useQuery(AccountService.method.getAccount, {});
  return problem !== undefined ? undefined : data?.account;
}

/** `next` is the path to go on to. */
export const SignedIn = ({ account, next }: { readonly account: Account; readonly next: string }) => (
  <>
    <Notice tone="plain">
      You are signed in as <strong>{account.email ?? account.name}</strong>. To use another account, sign out first.
    </Notice>
    <p class={styles.actions}>
      <ButtonLink kind="primary" href={next}>
        Go on
      </ButtonLink>
      <SignOutButton />
    </p>
  </>
);
