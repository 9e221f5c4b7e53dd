// The pages of Explore, as the site knows them: each is a separate document, because only these pages may load pictures and sound from
// anywhere.

import type { ServiceName } from "../../src/catalogue/service-names.ts";

export interface ExplorePage {
  readonly path: string;
  /** The name of the page's script. */
  readonly script: "stations" | "tokens" | "bitcoin" | "farkle";
  readonly title: string;
  /** The services that the page calls. */
  readonly services: readonly ServiceName[];
  /** What the page shows, in a sentence. */
  readonly lead: string;
}

/** In the order of the navigation. */
export const EXPLORE_PAGES: readonly ExplorePage[] = [
  {
    path: "/explore/stations",
    script: "stations",
    title: "Stations",
    services: ["radio"],
    lead: "Find internet radio stations by name, genre and country, on a map or in a list, and listen to them.",
  },
  {
    path: "/explore/tokens",
    script: "tokens",
    title: "Tokens",
    services: ["token-list", "token-price"],
    lead: "A token's price over a day or over years, the lists that include it, and its addresses on other chains.",
  },
  {
    path: "/explore/bitcoin",
    script: "bitcoin",
    title: "Bitcoin",
    services: ["bitcoin", "token-price"],
    lead: "Four indicators of Bitcoin's valuation over the years, with bands that show when it was cheap or expensive.",
  },
  {
    path: "/explore/farkle",
    script: "farkle",
    title: "Farkle",
    services: ["farkle"],
    lead: "Choose or roll up to six dice, and see their score.",
  },
];

/** The page that shows a service's data; undefined if there is none. */
export const explorePageOf = (service: ServiceName): ExplorePage | undefined =>
  EXPLORE_PAGES.find(({ services }) => services.includes(service));
