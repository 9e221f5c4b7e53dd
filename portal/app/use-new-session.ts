// What follows when a session has begun.

import { create } from "@bufbuild/protobuf";
import { createQueryOptions } from "@connectrpc/connect-query-core";
import { useLocation } from "preact-iso";
import { AccountService, GetAccountResponseSchema } from "../../gen/quintet/account/v1/account_pb.js";
import type { Session } from "../../gen/quintet/account/v1/sign_in_pb.js";
import { useApi } from "../api/api.ts";
import { consoleKeys } from "../api/page-console-key.ts";
import { isOfApplication } from "./sign-in-path.ts";

/** Forgets what was read before, takes over the account that came with the session, and leads to `path`. */
export function useNewSession(): (session: Session | undefined, path: string) => void {
  const { queries, transport } = useApi();
  const { route } = useLocation();
  return (session, path) => {
    queries.clear();
    void consoleKeys.forget();
    if (session?.account !== undefined) {
      const { queryKey } = createQueryOptions(AccountService.method.getAccount, {}, { transport });
      queries.setQueryData(queryKey, create(GetAccountResponseSchema, { account: session.account }));
    }
    if (isOfApplication(path)) {
      route(path, true);
    } else {
      location.replace(path);
    }
  };
}
