// The pages of the application. A page is one line here and one file in `pages`, which is loaded when it is first opened.
import { exec } from "preact-iso/router";

/** One page. */
export interface AppRoute {
  /** Its path; `:name` stands for one segment, `:name?` for one that may be missing. */
  readonly path: string;
  /** Its title in the browser's tab. */
  readonly title: string;
  /** Its text in the navigation; left out if it is not listed there. */
  readonly nav?: string;
  /** `open` needs no session and has no navigation beside it. `operator` is listed only in the navigation of operators. */
  readonly access: "open" | "customer" | "operator";
  /** Its file in `pages`, without the ending. Its component is the default export. */
  readonly file: string;
}

/** In the order of the navigation. */
export const ROUTES: readonly AppRoute[] = [
  { path: "/app", title: "Overview", nav: "Overview", access: "customer", file: "Overview" },
  { path: "/app/keys", title: "Keys", nav: "Keys", access: "customer", file: "Keys" },
  { path: "/app/subscriptions", title: "Subscriptions", nav: "Subscriptions", access: "customer", file: "Subscriptions" },
  { path: "/app/usage", title: "Usage", nav: "Usage", access: "customer", file: "Usage" },
  { path: "/app/console/:service?/:method?", title: "Console", nav: "Console", access: "customer", file: "Console" },
  { path: "/app/live", title: "Live", nav: "Live", access: "customer", file: "Live" },
  { path: "/app/account", title: "Account", nav: "Account", access: "customer", file: "Account" },
  { path: "/app/operator", title: "Accounts", nav: "Operator", access: "operator", file: "operator/Accounts" },
  { path: "/app/operator/accounts/:account", title: "Account", access: "operator", file: "operator/OneAccount" },
  { path: "/app/operator/waiting", title: "Plan requests", access: "operator", file: "operator/Waiting" },
  { path: "/app/operator/usage", title: "Usage", access: "operator", file: "operator/Usage" },
  { path: "/app/operator/server", title: "Server", access: "operator", file: "operator/Server" },
  { path: "/app/operator/audit", title: "Audit trail", access: "operator", file: "operator/Audit" },
  { path: "/app/sign-in", title: "Sign in", access: "open", file: "SignIn" },
  { path: "/app/forgot", title: "Forgot your password", access: "open", file: "Forgot" },
  { path: "/app/reset", title: "New password", access: "open", file: "Reset" },
  { path: "/app/finish", title: "Finish signing up", access: "open", file: "Finish" },
  { path: "/app/verify", title: "Verify your address", access: "open", file: "Verify" },
  { path: "/app/sign-up", title: "Sign up", access: "open", file: "SignUp" },
];

/** Shown at a path without a page. */
export const NOT_FOUND: AppRoute = { path: "", title: "No such page", access: "open", file: "AppNotFound" };

/** Which of `routes` a path belongs to; undefined if none matches. */
export const routeAt = <Route extends AppRoute>(routes: readonly Route[], path: string): Route | undefined =>
  routes.find((route) => exec(path, route.path, { path, query: {}, params: {} }) !== undefined);

/** The entry of the navigation that a page belongs to: its own, or that of the page above it. */
export const sectionOf = <Route extends AppRoute>(routes: readonly Route[], page: Route): Route | undefined =>
  routes
    .filter(({ nav, path }) => nav !== undefined && (path === page.path || page.path.startsWith(`${path}/`)))
    .toSorted((a, b) => b.path.length - a.path.length)[0];

/** The part of a route's path that is the same for all of its addresses: `/app/console`. */
export const fixedPathOf = ({ path }: AppRoute): string => path.replace(/\/:.*$/, "");
