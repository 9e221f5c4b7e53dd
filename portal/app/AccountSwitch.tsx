// The accounts that the user may use, in the account menu: their own, and those that they are a member of. Read when the menu is opened.
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { ProfileService } from "../../gen/quintet/account/v1/profile_pb.js";
import { useQuery } from "../api/use-query.ts";
import styles from "./AccountSwitch.module.css";
import { useOwnAccount } from "./role.ts";
import { ROLE_NAMES } from "./role-names.ts";
import { switchAccount } from "./shared-account.ts";

/** Shows nothing if the user has only their own account. */
export function AccountSwitch() {
  const shown = useQuery(AccountService.method.getAccount, {}).data?.account;
  const own = useOwnAccount();
  const { memberships = [] } = useQuery(ProfileService.method.getProfile, {}).data ?? {};
  if (memberships.length === 0 || own === undefined) {
    return null;
  }
  const accounts = [
    { id: own.id, name: own.email ?? own.name, role: "your own" },
    ...memberships.map(({ accountId, email, name, role }) => ({ id: accountId, name: email ?? name, role: ROLE_NAMES[role] })),
  ];
  return (
    <section class={styles.accounts} aria-label="Switch account">
      {accounts.map(({ id, name, role }) => (
        <button
          key={id}
          type="button"
          aria-current={id === shown?.id ? "true" : undefined}
          onClick={() => switchAccount(id === own.id ? undefined : id)}
        >
          <span>{name}</span> <small>{role}</small>
        </button>
      ))}
    </section>
  );
}
