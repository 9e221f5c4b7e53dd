// What the search of the site puts first, for the words in which people search.
import { expect, test } from "vitest";
import { ALL_SEARCH_ENTRIES } from "../../portal/build/search-entries.ts";
import { createSearch } from "../../portal/content/search-index.ts";

const search = createSearch(ALL_SEARCH_ENTRIES);

test.each([
  // What it costs.
  ["pricing", "/plans"],
  ["prices of plans", "/plans"],
  ["cost", "/plans"],
  ["billing", "/plans"],
  ["free plan", "/plans"],
  ["plans", "/plans"],
  // Where to begin.
  ["quickstart", "/docs/quickstart"],
  ["getting started", "/docs/quickstart"],
  ["first call", "/docs/quickstart"],
  ["curl", "/docs/quickstart"],
  ["php", "/docs/quickstart"],
  ["rust", "/docs/quickstart"],
  ["python", "/docs/clients#python"],
  ["typescript", "/docs/clients#typescript-and-javascript"],
  ["sdk", "/docs/clients"],
  ["grpc", "/docs/clients"],
  // Methods, by their names and in other words.
  ["search stations", "/reference/radio/search-stations"],
  ["SearchStations", "/reference/radio/search-stations"],
  ["searchstations", "/reference/radio/search-stations"],
  ["stations", "/reference/radio/search-stations"],
  ["score", "/reference/farkle/score"],
  ["dice", "/reference/farkle/score"],
  ["get price", "/reference/token-price/get-prices"],
  ["price", "/reference/token-price/get-prices"],
  ["watch prices", "/reference/token-price/watch-prices"],
  ["historical price", "/reference/token-price/get-historical-prices"],
  ["price chart", "/reference/token-price/get-price-charts"],
  ["mayer", "/reference/bitcoin/get-mayer"],
  ["puell multiple", "/reference/bitcoin/get-puell"],
  ["stock-to-flow", "/reference/bitcoin/get-s2f"],
  ["search tokens", "/reference/token-list/search-tokens"],
  ["bridges", "/reference/token-list/get-bridges"],
  ["/radio/v1/search", "/reference/radio/search-stations"],
  ["create key", "/reference/key/create-key"],
  ["rotate key", "/reference/key/rotate-key"],
  ["revoke", "/reference/key/revoke-key"],
  ["end sessions", "/reference/profile/end-sessions"],
  ["delete account", "/reference/profile/delete-account"],
  ["watch calls", "/reference/usage/watch-calls"],
  ["two factor", "/reference/profile/begin-two-factor"],
  // Errors, as they are printed.
  ["RATE_LIMITED", "/errors/RATE_LIMITED"],
  ["rate_lim", "/errors/RATE_LIMITED"],
  ["QUOTA_EXCEEDED", "/errors/QUOTA_EXCEEDED"],
  ["key invalid", "/errors/KEY_INVALID"],
  ["deadline exceeded", "/errors/DEADLINE_EXCEEDED"],
  ["429", "/errors/RATE_LIMITED"],
  // Guides.
  ["limits", "/docs/limits"],
  ["rate limit", "/docs/limits"],
  ["rate limits", "/docs/limits"],
  ["errors", "/errors"],
  ["rest", "/docs/rest"],
  ["retries", "/docs/clients#retries"],
  ["dry run", "/docs/clients#dry-runs"],
  ["changelog", "/docs/changelog"],
  ["privacy", "/docs/privacy"],
  ["support", "/docs/support"],
  ["mcp", "/docs/agents"],
  ["settings", "/docs/operate/settings"],
  ["backup", "/docs/operate/backup"],
  ["kubernetes", "/docs/operate/deploy#kubernetes"],
  ["farkle", "/docs/services/farkle"],
  ["radio", "/docs/services/radio"],
  ["uptime", "/status"],
  ["outage", "/status"],
  // Pages of the application and of Explore.
  ["console", "/app/console"],
  ["usage", "/app/usage"],
  ["map", "/explore/stations"],
])("“%s” finds %s first", (query, first) => {
  const found = search(query).map(({ id }) => id);
  expect({ first: found[0], at: found.indexOf(first) }).toEqual({ first, at: 0 });
});

test.each(["rate limit", "webhooks", "limits", "quota", "two factor", "errors", "keys"])(
  "“%s” finds a customer's page before any page for operators or contributors",
  (query) => {
    const [first = ""] = search(query).map(({ id }) => id);
    expect(first).not.toMatch(/^\/docs\/(?:operate|mesh|architecture|decisions|changelog)/);
  },
);

test("a method comes before a decision, however often the words occur in the decision", () => {
  const found = search("alerts").map(({ id }) => id);
  const method = found.findIndex((id) => id.startsWith("/reference/"));
  const decision = found.findIndex((id) => id.startsWith("/docs/decisions"));
  expect({ isFound: method >= 0 && decision >= 0, isFirst: method < decision }).toEqual({ isFound: true, isFirst: true });
});

test("if no page has all words of a query, pages with some of them are found", () => {
  expect(search("radio xyzzyplugh").length).toBeGreaterThan(0);
  expect(search("xyzzyplugh")).toEqual([]);
});
