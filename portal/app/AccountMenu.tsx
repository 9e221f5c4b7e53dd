// The menu of the account that is signed in: whose it is, its settings, and signing out. The browser closes it on a click elsewhere.
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { useQuery } from "../api/use-query.ts";
import { Icon } from "../components/Icon.tsx";
import styles from "./AccountMenu.module.css";
import { SignOutButton } from "./SignOutButton.tsx";

const ID = "account-menu";

/** The button and its menu. */
export function AccountMenu() {
  const { data } = useQuery(AccountService.method.getAccount, {});
  const { path } = useLocation();
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => menu.current?.hidePopover(), [path]);
  const who = data?.account?.email ?? data?.account?.name ?? "";
  return (
    <>
      <button type="button" class={styles.avatar} popovertarget={ID} title={who}>
        <span aria-hidden="true">{who.slice(0, 1).toUpperCase()}</span>
        <span class="unseen">Account menu</span>
      </button>
      <div ref={menu} id={ID} popover="auto" class={styles.menu}>
        <p class={styles.who}>
          Signed in as <b>{who}</b>
        </p>
        <a href="/app/account">
          <Icon name="account" /> Account
        </a>
        <a href="/app/subscriptions">
          <Icon name="subscriptions" /> Subscriptions
        </a>
        {data?.account?.isOperator === true && (
          <a href="/app/operator">
            <Icon name="operations" /> For operators
          </a>
        )}
        <div class={styles.end}>
          <Icon name="signOut" />
          <SignOutButton />
        </div>
      </div>
    </>
  );
}
