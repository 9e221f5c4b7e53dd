// The application: its pages inside its frame, and what happens when a session is lost.
import { createConnectQueryKey } from "@connectrpc/connect-query-core";
import { useEffect, useState } from "preact/hooks";
import { LocationProvider, Route, Router, useLocation } from "preact-iso";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { ApiProvider, createApi } from "../api/api.ts";
import { consoleKeys } from "../api/page-console-key.ts";
import { focusHeading } from "../components/ui/focus-heading.ts";
import { MISSING_PAGE, PAGES, pageAt } from "./pages.ts";
import { preloadLinks } from "./preload-links.ts";
import { Shell } from "./Shell.tsx";
import { signInPath } from "./sign-in-path.ts";

const GET_ACCOUNT = createConnectQueryKey({ schema: AccountService.method.getAccount, cardinality: undefined });

/** All of it. */
export const App = () => (
  <LocationProvider scope={/^\/app(?=[/?#]|$)/}>
    <Pages />
  </LocationProvider>
);

function Pages() {
  const { route } = useLocation();
  const [api] = useState(() =>
    createApi({
      onProblem({ isSessionLost, reason }) {
        if (reason === "ACCOUNT_SUSPENDED") {
          void api.queries.invalidateQueries({ queryKey: GET_ACCOUNT });
        }
        // Several calls may be refused at once; the first has led away already. Signing in asks by itself whether there is a session.
        if (isSessionLost && pageAt(location.pathname).access !== "open") {
          api.queries.clear();
          void consoleKeys.forget();
          route(signInPath(location), true);
        }
      },
    }),
  );
  useEffect(preloadLinks, []);
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
