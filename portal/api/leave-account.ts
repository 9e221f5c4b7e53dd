// The end of a session as the browser sees it: this tab forgets the account, the other tabs are notified, and the page is reloaded, so that
// nothing about the account is left in its memory, its storage or its URL.

import { markMember } from "./member-mark.ts";
import { pageAccount } from "./page-account.ts";
import { consoleKeys } from "./page-console-key.ts";

const SIGN_IN = "/app/sign-in";
/** The first page of the application. */
export const HOME = "/app";
const CHANGED = "account-changed";

type TabMessage = { readonly kind: "signed out" } | { readonly kind: "signed in"; readonly account: string };

const channel = new BroadcastChannel("quintet-account");
let isLeaving = false;
let holdCount = 0;
let whenFree: (() => void) | undefined;

/** Keeps the page as it is, because it shows something that cannot be shown again, until the returned function is called. */
export function holdPage(): () => void {
  holdCount += 1;
  return () => {
    holdCount -= 1;
    if (holdCount === 0) {
      whenFree?.();
    }
  };
}

/**
 * Forgets the account and goes to `path`, once nothing holds the page any more. The next page finds `mark` in the tab's storage. `then` is
 * called just before this page is left.
 */
export function leaveFor(path: string, mark?: string, then = (): void => {}): void {
  if (isLeaving) {
    return;
  }
  isLeaving = true;
  markMember(mark === CHANGED || path === HOME);
  whenFree = () => {
    whenFree = undefined;
    void consoleKeys.forget();
    forgetStorage();
    if (mark !== undefined) {
      sessionStorage.setItem(mark, "yes");
    }
    then();
    location.replace(path);
  };
  if (holdCount === 0) {
    whenFree();
  }
}

/** Whether the page is about to be left, so that the results of its calls no longer matter. */
export const isLeavingAccount = (): boolean => isLeaving;

/** Leaves for `path` after the user has signed out, or deleted the account, in this tab. Notifies the other tabs. */
export function signedOut(path: string = SIGN_IN): void {
  channel.postMessage({ kind: "signed out" } satisfies TabMessage);
  leaveFor(path);
}

/** Leaves for the sign-in page, after a call has found that the session has ended. */
export const leaveEndedSession = (): void => leaveFor(SIGN_IN);

/** Sets the user's own account after a sign-in in this tab. Notifies the other tabs. */
export function signedIn(account: string): void {
  if (!pageAccount.mayContinue(account)) {
    forgetStorage();
  }
  pageAccount.set(account);
  markMember(true);
  channel.postMessage({ kind: "signed in", account } satisfies TabMessage);
}

/**
 * Reloads the page after another tab has signed in to another account. The new page says so. Drops the query and the fragment, which may
 * contain what was typed.
 */
export const accountChanged = (): void => leaveFor(location.pathname, CHANGED);

/** Whether the page was reloaded for that reason. True only once. */
export function takeAccountChanged(): boolean {
  const isChanged = sessionStorage.getItem(CHANGED) !== null;
  sessionStorage.removeItem(CHANGED);
  return isChanged;
}

/**
 * Listens to the other tabs, and to the browser, which may restore a page that was left. `onSignedOut` is called when another tab has
 * signed out.
 */
export function followOtherTabs(onSignedOut: () => void): void {
  channel.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => {
    const { own } = pageAccount;
    if (own === undefined || isLeaving) {
      return;
    }
    if (data.kind === "signed out") {
      onSignedOut();
    } else if (data.account !== own) {
      accountChanged();
    }
  });
  addEventListener("pagehide", ({ persisted }) => {
    document.body.hidden = persisted && holdCount === 0;
  });
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted && holdCount === 0) {
      location.reload();
    }
  });
}

// A browser may forbid storage; then nothing is stored.
function forgetStorage(): void {
  try {
    sessionStorage.clear();
  } catch {
    // Nothing to forget.
  }
}
