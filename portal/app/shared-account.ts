// Accounts of others that the user may use: switching to one, and what the page does when access has ended.
import { accountChanged, HOME, leaveFor } from "../api/leave-account.ts";
import { ACCOUNT_HEADER, pageAccount } from "../api/page-account.ts";
import { ACCESS_ENDED } from "./access-ended.ts";

/** Shows another account that the user may use, or with undefined their own, from its first page on. */
export function switchAccount(id: string | undefined): void {
  leaveFor(HOME, undefined, () => pageAccount.show(id));
}

/**
 * A call was refused because of another person's account, `shared`, that the page shows. The user's own is shown instead, provided
 * that the session is still theirs.
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

// Whether the session can be used for an account. If the server cannot be reached, nothing changes.
async function mayUse(id: string): Promise<boolean> {
  const path = "/account/v1/account";
  const response = await fetch(path, { headers: { [ACCOUNT_HEADER]: id }, credentials: "same-origin" }).catch(() => undefined);
  return response === undefined || response.ok || response.status >= 500 || response.status === 429;
}
