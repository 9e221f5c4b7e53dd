// The application: its pages inside its frame, and what happens when a session is lost.
import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import { LocationProvider, Route, Router, useLocation } from "preact-iso";
import lazy from "preact-iso/lazy";
import { ApiProvider, createApi } from "../api/api.ts";
import { consoleKeys } from "../api/page-console-key.ts";
import { PageFailed } from "./PageFailed.tsx";
import { type AppRoute, NOT_FOUND, ROUTES, routeAt } from "./routes.ts";
import { Shell } from "./Shell.tsx";
import { signInPath } from "./sign-in-path.ts";

interface Page extends AppRoute {
  readonly component: ComponentType & { readonly preload: () => Promise<unknown> };
}

const pageOf = (route: AppRoute): Page => ({
  ...route,
  // After an update of the server a page that was open longer asks for scripts that are no longer there.
  component: lazy(() => route.load().catch(() => ({ default: PageFailed }))) as Page["component"],
});
const PAGES: readonly Page[] = ROUTES.map(pageOf);
const MISSING = pageOf(NOT_FOUND);

const isOpenAt = (path: string): boolean => routeAt(PAGES, path)?.access === "open";

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
      onSessionLost() {
        api.queries.clear();
        void consoleKeys.forget();
        // Several calls may be refused at once; the first has led away already.
        if (!isOpenAt(location.pathname)) {
          route(signInPath(location), true);
        }
      },
    }),
  );
  return (
    <ApiProvider value={api}>
      <Shell pages={PAGES} missing={MISSING}>
        <Router onRouteChange={focusHeading}>
          {[
            ...PAGES.map(({ path, component }) => <Route key={path} path={path} component={component} />),
            <Route key="" default component={MISSING.component} />,
          ]}
        </Router>
      </Shell>
    </ApiProvider>
  );
}

// Tells a reader of the screen that another page is there.
function focusHeading(): void {
  document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
}
