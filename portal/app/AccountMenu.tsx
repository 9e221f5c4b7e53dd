// The menu of the account that is signed in: whose it is, its settings, and signing out. The browser closes it on a click elsewhere.
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Icon } from "../components/Icon.tsx";
import { useLoaded } from "../components/ui/use-loaded.ts";
import styles from "./AccountMenu.module.css";
import { useOwnAccount } from "./role.ts";
import { SignOutButton } from "./SignOutButton.tsx";

const ID = "account-menu";

const loadSwitch = async () => (await import("./AccountSwitch.tsx")).AccountSwitch;

/** The button and its menu. */
export function AccountMenu() {
  const own = useOwnAccount();
  // Read once the menu is opened, which few pages need.
  const [isOpened, setOpened] = useState(false);
  const AccountSwitch = useLoaded(loadSwitch, isOpened);
  const { path } = useLocation();
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => menu.current?.hidePopover(), [path]);
  const who = own?.email ?? own?.name ?? "";
  return (
    <>
      <button type="button" class={styles.avatar} popovertarget={ID} title={who}>
        <span aria-hidden="true">{who.slice(0, 1).toUpperCase()}</span>
        <span class="unseen">Account menu</span>
      </button>
      <div ref={menu} id={ID} popover="auto" class={styles.menu} onToggle={() => setOpened(true)}>
        <p class={styles.who}>
          Signed in as <b>{who}</b>
        </p>
        {AccountSwitch !== undefined && <AccountSwitch />}
        <a href="/app/account">
          <Icon name="account" /> Account
        </a>
        <a href="/app/subscriptions">
          <Icon name="subscriptions" /> Subscriptions
        </a>
        {own?.operator === true && (
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
