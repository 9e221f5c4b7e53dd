// What the user may do with the account that the page shows.
import { type Account, AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { MemberRole } from "../../gen/quintet/account/v1/member_pb.js";
import { ownAccountOf } from "../api/names-account.ts";
import { useQuery } from "../api/use-query.ts";

/** The user's role in the account that the page shows; owner if it is the user's own account, and undefined until that is known. */
export function useRole(): MemberRole | undefined {
  const account = useQuery(AccountService.method.getAccount, {}).data?.account;
  return account && (account.role ?? MemberRole.OWNER);
}

/** Whether the user's role is this one or a higher one. False until that is known. */
export const useHasRole = (role: MemberRole): boolean => (useRole() ?? MemberRole.UNSPECIFIED) >= role;

/** The user's own account, even if the page shows another one. */
export function useOwnAccount(): Account | undefined {
  const { data } = useQuery(AccountService.method.getAccount, {});
  return data && ownAccountOf(data);
}
