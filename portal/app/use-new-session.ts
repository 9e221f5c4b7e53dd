// What to do when a session has started.

import { create } from "@bufbuild/protobuf";
import { createQueryOptions } from "@connectrpc/connect-query-core";
import { useLocation } from "preact-iso";
import { AccountService, GetAccountResponseSchema } from "../../gen/quintet/account/v1/account_pb.js";
import type { Session } from "../../gen/quintet/account/v1/sign_in_pb.js";
import { useApi } from "../api/api.ts";
import { signedIn } from "../api/leave-account.ts";
import { pageAccount } from "../api/page-account.ts";
import { consoleKeys } from "../api/page-console-key.ts";
import { HOME, isApplicationPath } from "./sign-in-path.ts";

/**
 * Clears the cached data, keeps the account that came with the session, and opens `next`. If `next` may contain what the user of another
 * account had typed, it opens the first page instead.
 */
export function useNewSession(): (session: Session, next: string) => void {
  const { queries, transport } = useApi();
  const { route } = useLocation();
  return (session, next) => {
    let mayContinue = true;
    queries.clear();
    void consoleKeys.forget();
    if (session.account !== undefined) {
      mayContinue = pageAccount.mayContinue(session.account.id);
      signedIn(session.account.id);
      // The page may still show another person's account, which is read again.
      const { queryKey } = createQueryOptions(AccountService.method.getAccount, {}, { transport });
      if (pageAccount.shared === undefined) {
        // Stale from the start: the rest of the response is read with the next page.
        queries.setQueryData(queryKey, create(GetAccountResponseSchema, { account: session.account }), { updatedAt: 1 });
      }
    }
    const path = mayContinue ? next : HOME;
    if (isApplicationPath(path)) {
      route(path, true);
    } else {
      location.replace(path);
    }
  };
}
