// The pages that `npm run measure:portal` measures: every page of the application and of Explore, and one document of each kind.
import { fixedPathOf, ROUTES } from "../portal/app/routes.ts";
import { EXPLORE_PAGES } from "../portal/content/explore-pages.ts";

export interface MeasuredPage {
  readonly path: string;
  /** Who may open it. */
  readonly access: "open" | "customer" | "operator";
  /** What is there, as a selector, once the page can be used. */
  readonly ready: string;
}

const DOCUMENTS: readonly MeasuredPage[] = [
  { path: "/", access: "open", ready: "a[href='/docs']" },
  { path: "/docs/limits", access: "open", ready: "[data-search]:not([hidden])" },
  { path: "/docs/quickstart", access: "open", ready: "[data-search]:not([hidden])" },
  { path: "/reference/radio/search-stations", access: "open", ready: "[data-search]:not([hidden])" },
  { path: "/errors/QUOTA_EXCEEDED", access: "open", ready: "[data-search]:not([hidden])" },
  { path: "/plans", access: "open", ready: "input[type=range]" },
  { path: "/status", access: "open", ready: "h1" },
];

// The main elements of pages that are usable later than when their heading is there.
const READY: Readonly<Record<string, string>> = {
  "/explore/stations": "main li button",
  "/explore/tokens": "main li button",
  "/explore/bitcoin": "main figure",
  "/explore/farkle": "main button",
  "/app": "main a[href='/app/subscriptions']",
  "/app/keys": "main button",
  "/app/console": "main button[type=submit]",
  "/app/usage": "main a[href='/app/subscriptions']",
  "/app/subscriptions": "main button",
  "/app/alerts": "main button",
  "/app/members": "main button",
  "/app/account": "main button[type=submit]",
  "/app/operator": "main dl",
  "/app/operator/accounts": "main table",
  "/app/operator/server": "main table",
  "/app/operator/incidents": "main button",
  "/app/operator/audit": "main table",
  "/app/sign-in": "button[type=submit]",
  "/app/sign-up": "button[type=submit]",
  "/app/forgot": "button[type=submit]",
};

const measured = (path: string, access: MeasuredPage["access"]): MeasuredPage => ({
  path,
  access,
  ready: READY[path] ?? "main h1",
});

// The page of one account cannot be opened without naming one.
const needsName = (path: string): boolean => /\/:\w+(?!\?)(\/|$)/.test(path);

/** Those that need no session come first. */
export const MEASURED_PAGES: readonly MeasuredPage[] = [
  ...DOCUMENTS,
  ...EXPLORE_PAGES.map(({ path }) => measured(path, "open")),
  ...["open", "customer", "operator"].flatMap((access) =>
    ROUTES.filter((route) => route.access === access && !needsName(route.path)).map((route) =>
      measured(fixedPathOf(route), route.access),
    ),
  ),
];
