// The pages of the application. A page is one line here and one file, which is loaded when it is first opened.
import type { ComponentType } from "preact";
import { exec } from "preact-iso/router";

/** One page. */
export interface AppRoute {
  /** Its path; `:name` stands for one segment, `:name?` for one that may be missing. */
  readonly path: string;
  /** Its title in the browser's tab. */
  readonly title: string;
  /** Its words in the navigation; left out where it does not stand there. */
  readonly nav?: string;
  /** `open` needs no session and stands without the navigation. `operator` stands in the navigation of operators alone. */
  readonly access: "open" | "customer" | "operator";
  /** Loads it. Its component is the default export. */
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

/** In the order of the navigation. */
export const ROUTES: readonly AppRoute[] = [
  { path: "/app", title: "Overview", nav: "Overview", access: "customer", load: () => import("./pages/Overview.tsx") },
  { path: "/app/keys", title: "Keys", nav: "Keys", access: "customer", load: () => import("./pages/Keys.tsx") },
  {
    path: "/app/subscriptions",
    title: "Subscriptions",
    nav: "Subscriptions",
    access: "customer",
    load: () => import("./pages/Subscriptions.tsx"),
  },
  { path: "/app/usage", title: "Usage", nav: "Usage", access: "customer", load: () => import("./pages/Usage.tsx") },
  {
    path: "/app/console/:service?/:method?",
    title: "Console",
    nav: "Console",
    access: "customer",
    load: () => import("./pages/Console.tsx"),
  },
  { path: "/app/live", title: "Live", nav: "Live", access: "customer", load: () => import("./pages/Live.tsx") },
  { path: "/app/account", title: "Account", nav: "Account", access: "customer", load: () => import("./pages/Account.tsx") },
  { path: "/app/operator", title: "Accounts", nav: "Operator", access: "operator", load: () => import("./operator/Accounts.tsx") },
  {
    path: "/app/operator/accounts/:account",
    title: "Account",
    access: "operator",
    load: () => import("./operator/OneAccount.tsx"),
  },
  { path: "/app/operator/waiting", title: "Waiting plans", access: "operator", load: () => import("./operator/Waiting.tsx") },
  { path: "/app/operator/usage", title: "Usage", access: "operator", load: () => import("./operator/Usage.tsx") },
  { path: "/app/operator/server", title: "Server", access: "operator", load: () => import("./operator/Server.tsx") },
  { path: "/app/operator/audit", title: "Audit trail", access: "operator", load: () => import("./operator/Audit.tsx") },
  { path: "/app/sign-in", title: "Sign in", access: "open", load: () => import("./pages/SignIn.tsx") },
  { path: "/app/forgot", title: "Forgot your password", access: "open", load: () => import("./pages/Forgot.tsx") },
  { path: "/app/reset", title: "New password", access: "open", load: () => import("./pages/Reset.tsx") },
  { path: "/app/verify", title: "Verify your address", access: "open", load: () => import("./pages/Verify.tsx") },
  { path: "/app/sign-up", title: "Sign up", access: "open", load: () => import("./pages/SignUp.tsx") },
];

/** Which of `routes` a path belongs to; undefined when none has it. */
export const routeAt = <Route extends AppRoute>(routes: readonly Route[], path: string): Route | undefined =>
  routes.find((route) => exec(path, route.path, { path, query: {}, params: {} }) !== undefined);

/** What is shown at a path that no page has. */
export const NOT_FOUND: AppRoute = {
  path: "",
  title: "No such page",
  access: "open",
  load: () => import("./pages/AppNotFound.tsx"),
};
