// What the page shows, according to its URL.
import { SERVICE_NAMES } from "../../../src/catalogue/service-names.ts";

/** How far back the plot goes. */
export type Span = "24h" | "30d" | "12m";

/** The filters. An empty string means all. */
export interface Filters {
  readonly span: Span;
  /** A service's name. */
  readonly service: string;
  /** A key's id. */
  readonly key: string;
  /** How the plot of calls is broken down. */
  readonly by: "outcome" | "service";
  /** What the plot of response times and errors shows. */
  readonly measure: "median" | "p95" | "errors";
}

/** The spans, in the order in which they are offered. */
export const SPANS: readonly (readonly [Span, label: string])[] = [
  ["24h", "24 hours"],
  ["30d", "30 days"],
  ["12m", "12 months"],
];

const services: readonly string[] = SERVICE_NAMES;

/** Reads the filters from the URL's query. Unknown values are left out. */
export function filtersOf({ span, service = "", key = "", by, measure }: Readonly<Record<string, string | undefined>>): Filters {
  return {
    span: SPANS.find(([one]) => one === span)?.[0] ?? "24h",
    service: services.includes(service) ? service : "",
    key: /^[0-9a-f-]{36}$/.test(key) ? key : "",
    by: by === "service" ? by : "outcome",
    measure: measure === "p95" || measure === "errors" ? measure : "median",
  };
}

/** The URL of the page with these filters. */
export function pathOf({ span, service, key, by, measure }: Filters): string {
  const query = new URLSearchParams({
    ...(span !== "24h" && { span }),
    ...(service !== "" && { service }),
    ...(key !== "" && { key }),
    ...(by !== "outcome" && { by }),
    ...(measure !== "median" && { measure }),
  });
  return query.size === 0 ? "/app/usage" : `/app/usage?${query}`;
}
