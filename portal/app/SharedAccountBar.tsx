// Says that the page shows another person's account, or that access to one has ended.
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { useQuery } from "../api/use-query.ts";
import { Button } from "../components/ui/Button.tsx";
import { Notice } from "../components/ui/Notice.tsx";
import { ROLE_NAMES } from "./role-names.ts";
import styles from "./SharedAccountBar.module.css";
import { switchAccount } from "./shared-account.ts";

interface SharedAccountBarProps {
  readonly hasAccessEnded: boolean;
  readonly onClose: () => void;
}

/** Shows nothing if the account is the user's own, unless their access to another account has just ended. */
export function SharedAccountBar({ hasAccessEnded, onClose }: SharedAccountBarProps) {
  const { account } = useQuery(AccountService.method.getAccount, {}).data ?? {};
  if (hasAccessEnded) {
    return (
      <Notice tone="plain" onClose={onClose}>
        You no longer have access to the account that was shown here. This is your own account.
      </Notice>
    );
  }
  if (account?.role === undefined) {
    return null;
  }
  return (
    <div class={styles.bar} role="status">
      <span>
        Account of <b>{account.email ?? account.name}</b>. Your role: {ROLE_NAMES[account.role]}.
      </span>
      <Button kind="plain" onClick={() => switchAccount(undefined)}>
        Back to your own account
      </Button>
    </div>
  );
}
