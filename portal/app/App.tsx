// The application: its pages inside its frame, and what happens when a session is lost.
import { createConnectQueryKey, createQueryOptions } from "@connectrpc/connect-query-core";
import { useEffect, useState } from "preact/hooks";
import { LocationProvider, Route, Router, useLocation } from "preact-iso";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { ApiProvider, createApi } from "../api/api.ts";
import { accountChanged, followOtherTabs, isLeavingAccount, leaveEndedSession } from "../api/leave-account.ts";
import { markMember } from "../api/member-mark.ts";
import { accountInterceptor, ownAccountOf } from "../api/names-account.ts";
import { pageAccount } from "../api/page-account.ts";
import { consoleKeys } from "../api/page-console-key.ts";
import { faultOf, isSessionMissing } from "../api/reason.ts";
import { focusHeading } from "../components/ui/focus-heading.ts";
import { MISSING_PAGE, PAGES, pageAt } from "./pages.ts";
import { preloadLinks } from "./preload-links.ts";
import { Shell } from "./Shell.tsx";
import { signInPath } from "./sign-in-path.ts";

const GET_ACCOUNT = createConnectQueryKey({ schema: AccountService.method.getAccount, cardinality: undefined });

export const App = () => (
  <LocationProvider scope={/^\/app(?=[/?#]|$)/}>
    <Pages />
  </LocationProvider>
);

// Leaves the account that the page shows, because its calls are refused.
function accountRefused(): void {
  const { shared } = pageAccount;
  if (shared === undefined) {
    accountChanged();
    return;
  }
  import("./shared-account.ts").then(
    ({ sharedAccountRefused }) => sharedAccountRefused(shared),
    // The server has been updated, and no longer has this script.
    () => location.reload(),
  );
}

function Pages() {
  const { route } = useLocation();
  const [api] = useState(() =>
    createApi({
      interceptors: [accountInterceptor(pageAccount, accountChanged)],
      onProblem({ isSessionLost, reason }) {
        if (isLeavingAccount()) {
          return;
        }
        if (faultOf(reason) === "account") {
          accountRefused();
        } else if (isSessionMissing(reason) && pageAccount.known !== undefined) {
          // The cookie is gone, so the user has signed out in another tab.
          leaveEndedSession();
        } else if (isSessionLost && pageAt(location.pathname).access !== "open") {
          // Several calls may be refused at once; the first has already opened the sign-in page, which checks for a session itself.
          api.queries.clear();
          void consoleKeys.forget();
          pageAccount.lose();
          markMember(false);
          route(signInPath(location), true);
        } else if (faultOf(reason) === "suspension" && pageAccount.shared !== undefined) {
          // Either the shared account is suspended, or the user's own account, which ends access to all shared ones.
          accountRefused();
        } else if (faultOf(reason) === "suspension") {
          void api.queries.invalidateQueries({ queryKey: GET_ACCOUNT });
        }
      },
    }),
  );
  useEffect(preloadLinks, []);
  useEffect(() => {
    const account = createQueryOptions(AccountService.method.getAccount, {}, { transport: api.transport });
    pageAccount.requestWith(async () => ownAccountOf(await api.queries.fetchQuery(account))?.id ?? "");
    followOtherTabs(leaveEndedSession);
  }, [api]);
  return (
    <ApiProvider value={api}>
      <Shell>
        <Router onRouteChange={focusHeading}>
          {[
            ...PAGES.map(({ path, component }) => <Route key={path} path={path} component={component} />),
            <Route key="" default component={MISSING_PAGE.component} />,
          ]}
        </Router>
      </Shell>
    </ApiProvider>
  );
}
