// Everything that the site's search can find: the content, and pages that are not content.
import { fixedPathOf, ROUTES } from "../app/routes.ts";
import { EXPLORE_PAGES } from "../content/explore-pages.ts";
import { SEARCH_ENTRIES, type SearchEntry } from "../content/search.ts";

const page = (id: string, title: string, part: string, aliases: string): SearchEntry => ({
  id,
  title,
  part,
  kind: "page",
  aliases,
  words: "",
});

const PAGES: readonly SearchEntry[] = [
  page("/plans", "Plans", "Plans and prices", "pricing, prices, cost, billing, free plan, upgrade"),
  page(
    "/docs/quickstart",
    "Quickstart",
    "Guides",
    "getting started, begin, first call, first request, curl, java, csharp, php, rust",
  ),
  page("/reference", "Reference", "Every method", "api, methods, endpoints"),
  page("/status", "Status", "Availability and latency", "uptime, availability, outage, down, downtime, sla"),
  page("/errors", "Errors", "Every reason", "reasons, error codes, status codes"),
  ...EXPLORE_PAGES.map(({ path, title, lead }) => ({
    ...page(path, title, "Explore", "explore, demo, live"),
    kind: "example" as const,
    words: lead,
  })),
  ...ROUTES.filter(({ access, nav }) => access === "customer" && nav !== undefined).map((route) =>
    page(fixedPathOf(route), route.title, "Your account", ""),
  ),
];

/** Pages first. */
export const ALL_SEARCH_ENTRIES: readonly SearchEntry[] = [...PAGES, ...SEARCH_ENTRIES];
