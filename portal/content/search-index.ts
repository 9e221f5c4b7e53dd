// Ranks what the search finds: pages whose name matches first, methods before guides, and background such as the decisions last.
import MiniSearch from "minisearch";
import type { SearchEntry, SearchKind } from "./search.ts";

/** What is shown of an entry. */
export type SearchResult = Pick<SearchEntry, "id" | "title" | "part">;

const WEIGHTS: Readonly<Record<SearchKind, number>> = {
  page: 4,
  method: 2.5,
  guide: 2,
  error: 1.5,
  example: 1,
  section: 1,
  "background-page": 0.5,
  background: 0.25,
};

// How much more a page counts if the whole query is its name, or the beginning of its title.
const SAME_NAME_BOOST = 6;
const TITLE_START_BOOST = 1.5;

// Words that do not help to find anything.
const STOP_WORDS = new Set(["a", "an", "and", "for", "how", "in", "is", "of", "the", "to"]);

function queryWords(query: string): string[] {
  const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
  const significant = words.filter((word) => !STOP_WORDS.has(word.toLowerCase()));
  return significant.length > 0 ? significant : words;
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");

// `SearchStations` is found by `searchstations`, `search` and `stations`.
const wordsIn = (text: string): string[] =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    const parts = word.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
    return parts.length > 1 ? [word, ...parts] : [word];
  });

/** Creates a search over these entries. The search returns the results for a query, best first. */
export function createSearch(entries: readonly SearchEntry[]): (query: string) => readonly SearchResult[] {
  const index = new MiniSearch<SearchEntry>({
    fields: ["title", "aliases", "part", "words"],
    storeFields: ["title", "part", "kind", "aliases"],
    tokenize: wordsIn,
    searchOptions: {
      boost: { title: 4, aliases: 4, part: 1.5 },
      prefix: true,
      fuzzy: (term) => (term.length > 3 ? 0.15 : false),
      boostDocument: (_id, _term, stored) => WEIGHTS[stored?.kind as SearchKind],
      // The query is not split at capitals: in CamelCase, it is one word of the index.
      tokenize: queryWords,
    },
  });
  index.addAll(entries);
  return (query) => {
    const all = index.search(query, { combineWith: "AND" });
    const found = (all.length > 0 ? all : index.search(query)) as unknown as readonly (SearchEntry & { readonly score: number })[];
    const wanted = plain(query);
    const scoreOf = ({ title, aliases, kind, score }: (typeof found)[number]): number => {
      // Explore's pages have the names of the services that they show, so an equal name does not raise them.
      const isNamed = kind !== "example" && [title, ...aliases.split(",")].some((name) => plain(name) === wanted);
      return score * (isNamed ? SAME_NAME_BOOST : plain(title).startsWith(wanted) ? TITLE_START_BOOST : 1);
    };
    return found.toSorted((a, b) => scoreOf(b) - scoreOf(a));
  };
}
