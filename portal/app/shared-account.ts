// Other people's accounts that the user may use: switching to one, and what the page does when access has ended.
import { accountChanged, HOME, leaveFor } from "../api/leave-account.ts";
import { ACCOUNT_HEADER, pageAccount } from "../api/page-account.ts";
import { ACCESS_ENDED } from "./access-ended.ts";

/** Switches to another account that the user may use, or to their own if `id` is undefined, and opens its first page. */
export function switchAccount(id: string | undefined): void {
  leaveFor(HOME, undefined, () => pageAccount.show(id));
}

/**
 * Called when a call was refused while the page shows `shared`, another person's account. If the user has lost access to it, the page
 * switches to the user's own account. If the session is no longer theirs, the page says so.
 */
export async function sharedAccountRefused(shared: string): Promise<void> {
  const { own } = pageAccount;
  const isOwnSession = own === undefined || (await mayUse(own));
  if (!isOwnSession) {
    accountChanged();
  } else if (!(await mayUse(shared))) {
    leaveFor(HOME, ACCESS_ENDED);
  }
}

// Whether the session can be used for an account. Says yes if the server cannot be reached, so that nothing changes.
async function mayUse(id: string): Promise<boolean> {
  const path = "/account/v1/account";
  const response = await fetch(path, { headers: { [ACCOUNT_HEADER]: id }, credentials: "same-origin" }).catch(() => undefined);
  return response === undefined || response.ok || response.status >= 500 || response.status === 429;
}
