// Replaces the form for signing in or up if somebody is already signed in: says who is signed in, and links to the next page.
import { useEffect } from "preact/hooks";
import { type Account, AccountService } from "../../../../gen/quintet/account/v1/account_pb.js";
import { markMember } from "../../../api/member-mark.ts";
import { ownAccountOf } from "../../../api/names-account.ts";
import { pageAccount } from "../../../api/page-account.ts";
import { useQuery } from "../../../api/use-query.ts";
import { ButtonLink } from "../../../components/ui/Button.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { SignOutButton } from "../../SignOutButton.tsx";
import { HOME } from "../../sign-in-path.ts";
import styles from "./SignedIn.module.css";

/** The current session's own account; undefined if there is no session, or while that is unknown. */
export function useSignedIn(): Account | undefined {
  const { data, problem } = useQuery(AccountService.method.getAccount, {});
  const own = problem !== undefined || data === undefined ? undefined : ownAccountOf(data);
  const isKnown = own !== undefined;
  useEffect(() => {
    if (isKnown) {
      markMember(true);
    }
  }, [isKnown]);
  return own;
}

/** `next` is the path to go on to. */
export const SignedIn = ({ account, next }: { readonly account: Account; readonly next: string }) => (
  <>
    <Notice tone="plain">
      You are signed in as <strong>{account.email ?? account.name}</strong>. To use another account, sign out first.
    </Notice>
    <p class={styles.actions}>
      <ButtonLink kind="primary" href={pageAccount.mayContinue(account.id) ? next : HOME}>
        Continue
      </ButtonLink>
      <SignOutButton />
    </p>
  </>
);
