// The pages of the application. A page is one line here and one file in `pages`, which is loaded when it is first opened.
import { exec } from "preact-iso/router";
import type { IconName } from "../components/icons.ts";

/** An entry of the navigation. */
interface NavEntry {
  readonly label: string;
  /** Entries with the same group are listed together, under its name. An empty group has no name. */
  readonly group: "" | "Build" | "Monitor" | "Account" | "Operator";
  readonly icon: IconName;
}

export interface AppRoute {
  /** The page's path; `:name` stands for one segment, `:name?` for one that may be missing. */
  readonly path: string;
  /** The page's title in the browser's tab. */
  readonly title: string;
  /** The page's entry in the navigation; left out if the page is not listed there. */
  readonly nav?: NavEntry;
  /** Whether the page is as wide as the window, however wide that is. */
  readonly isWide?: boolean;
  /** `open` needs no session and is shown without the navigation. `operator` is listed only in the navigation of operators. */
  readonly access: "open" | "customer" | "operator";
  /** The page's file in `pages`, without the extension. The file's default export is the page's component. */
  readonly file: string;
}

const page = (path: string, title: string, file: string, [group, icon]: [NavEntry["group"], IconName]): AppRoute => ({
  path,
  title,
  nav: { label: title, group, icon },
  access: group === "Operator" ? "operator" : "customer",
  file,
});

/** In the order of the navigation. */
export const ROUTES: readonly AppRoute[] = [
  page("/app", "Overview", "Overview", ["", "overview"]),
  page("/app/keys", "Keys", "Keys", ["Build", "keys"]),
  { ...page("/app/console/:service?/:method?", "Console", "Console", ["Build", "console"]), isWide: true },
  page("/app/usage", "Usage", "Usage", ["Monitor", "usage"]),
  page("/app/live", "Live", "Live", ["Monitor", "live"]),
  page("/app/calls", "Calls", "Calls", ["Monitor", "calls"]),
  page("/app/subscriptions", "Subscriptions", "Subscriptions", ["Account", "subscriptions"]),
  page("/app/alerts", "Alerts", "Alerts", ["Account", "alerts"]),
  page("/app/members", "Members", "Members", ["Account", "accounts"]),
  page("/app/account", "Account", "Account", ["Account", "account"]),
  page("/app/activity", "Activity", "Activity", ["Account", "activity"]),
  page("/app/operator", "Operations", "operator/Operations", ["Operator", "operations"]),
  page("/app/operator/accounts", "Accounts", "operator/Accounts", ["Operator", "accounts"]),
  { path: "/app/operator/accounts/id/:account", title: "Account", access: "operator", file: "operator/OneAccount" },
  page("/app/operator/waiting", "Plan requests", "operator/Waiting", ["Operator", "requests"]),
  page("/app/operator/usage", "All usage", "operator/Usage", ["Operator", "usage"]),
  page("/app/operator/server", "Server", "operator/Server", ["Operator", "server"]),
  page("/app/operator/incidents", "Incidents", "operator/Incidents", ["Operator", "incidents"]),
  page("/app/operator/audit", "Audit trail", "operator/Audit", ["Operator", "audit"]),
  { path: "/app/sign-in", title: "Sign in", access: "open", file: "SignIn" },
  { path: "/app/signed-in", title: "Sign in", access: "open", file: "SignedInByProvider" },
  { path: "/app/forgot", title: "Forgot your password", access: "open", file: "Forgot" },
  { path: "/app/reset", title: "New password", access: "open", file: "Reset" },
  { path: "/app/finish", title: "Finish signing up", access: "open", file: "Finish" },
  { path: "/app/change-email", title: "Confirm your new e-mail address", access: "open", file: "ChangeEmail" },
  { path: "/app/verify", title: "Verify your e-mail address", access: "open", file: "Verify" },
  { path: "/app/invitation", title: "You have been invited", access: "open", file: "Invitation" },
  { path: "/app/sign-up", title: "Sign up", access: "open", file: "SignUp" },
];

/** Shown for a path that has no page. */
export const NO_SUCH_PAGE: AppRoute = { path: "", title: "Page not found", access: "open", file: "AppNotFound" };

/** Which of `routes` a path belongs to; undefined if none matches. */
export const routeAt = <Route extends AppRoute>(routes: readonly Route[], path: string): Route | undefined =>
  routes.find((route) => exec(path, route.path, { path, query: {}, params: {} }) !== undefined);

/** The entry of the navigation that a page belongs to: its own, or that of the page above it. */
export const sectionOf = <Route extends AppRoute>(routes: readonly Route[], page: Route): Route | undefined =>
  routes
    .filter(({ nav, path }) => nav !== undefined && (path === page.path || page.path.startsWith(`${path}/`)))
    .toSorted((a, b) => b.path.length - a.path.length)[0];

/** The part of a path that is the same whatever its parameters are: `/app/console`. */
export const fixedPathOf = ({ path }: AppRoute): string => path.replace(/\/:.*$/, "");
