// Everything that the search of the site finds: operations, errors, and each section of the guides.
import { GUIDES } from "./guides.ts";
import { OPERATIONS } from "./operations.ts";
import { REASON_PAGES } from "./reasons.ts";
import { titleOfTag } from "./services.ts";

/** One thing to find. */
export interface SearchEntry {
  /** Its address on the site, with the section's anchor. */
  readonly id: string;
  readonly title: string;
  /** The page or section it is part of, shown beside the title. */
  readonly part: string;
  /** Extra search terms. */
  readonly words: string;
}

const WORDS_CHARS_MAX = 600;

// Each parameter's name and meaning is in a table; indexing its text is enough.
const wordsOf = (markdown: string): string =>
  markdown
    .replaceAll(/<[^>]*>|&\w+;|[`*|[\]#]|\(#?[^)]*\)|-{3,}/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, WORDS_CHARS_MAX);

const operations = OPERATIONS.map(({ path, name, tag, restPath, rpc, description, parameters }) => ({
  id: path,
  title: name,
  part: `${titleOfTag(tag)} reference`,
  words: wordsOf(`${restPath} ${rpc} ${description} ${parameters}`),
}));

const reasons = REASON_PAGES.map(({ path, reason, meaning, whatToDo, httpStatus, code }) => ({
  id: path,
  title: reason,
  part: "Errors",
  words: wordsOf(`${httpStatus} ${code} ${meaning} ${whatToDo}`),
}));

const guides = GUIDES.flatMap(({ path, title, about, html, headings }) => {
  const sections = html.split(/(?=<h[2-6] )/);
  return [
    { id: path, title, part: "Guides", words: wordsOf(`${about} ${sections[0] ?? ""}`) },
    ...headings
      .filter(({ depth }) => depth <= 3)
      .map(({ id, text }) => ({
        id: `${path}#${id}`,
        title: text,
        part: title,
        words: wordsOf(sections.find((section) => section.includes(`id="${id}"`)) ?? ""),
      })),
  ];
});

/** Everything that can be found. */
export const SEARCH_ENTRIES: readonly SearchEntry[] = [...operations, ...reasons, ...guides];
