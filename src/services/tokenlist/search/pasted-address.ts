// Finds the addresses in a pasted string: alone or in quotes, without `0x`, shortened, in groups, with a chain, as a CAIP identifier, or in
// the URL of a page.
import { type AddressPattern, addressesIn, isWholeAddress } from "../../chains/addresses.ts";
import { chainIdOf } from "../../chains/chains.ts";
import { chainOfPage } from "../../chains/explorers.ts";

export interface PastedAddress {
  /** Any of them may be the token's; the most likely first. */
  readonly patterns: readonly AddressPattern[];
  /** The chain that the query names. */
  readonly chainId: number | undefined;
}

const PATTERNS_MAX = 4;
const PAGE = /^(?:https?:\/\/)?(?:[a-z0-9-]{1,63}\.)+[a-z]{2,24}\//i;
// More words than an address in groups of two, and the name of its chain, have.
const GROUPED_WORDS_MAX = 30;

/** Reads a cleaned string. No patterns if it contains no address. */
export function readPastedAddress(text: string): PastedAddress {
  const page = PAGE.test(text) ? URL.parse(/^https?:/i.test(text) ? text : `https://${text}`) : null;
  const searched = page === null ? withoutGroups(text) : `${page.pathname} ${page.search} ${page.hash}`;
  const patterns = addressesIn(searched).slice(0, PATTERNS_MAX);
  if (patterns.length === 0) {
    return { patterns, chainId: undefined };
  }
  const others = patterns.reduce((left, { written }) => left.replace(written, " "), searched);
  return { patterns, chainId: page === null ? chainInText(others) : chainOfPage(page) };
}

/** The text to search for if a page's URL contains no token address: the last part of its path, such as `usd-coin`. */
export function textOfPage(text: string): string {
  const page = PAGE.test(text) ? URL.parse(/^https?:/i.test(text) ? text : `https://${text}`) : null;
  return page?.pathname.split("/").findLast((segment) => segment !== "") ?? text;
}

// Joins the words that are an address together: groups of one length, but for the first, which may begin with `0x`, and the last.
function withoutGroups(text: string): string {
  const words = text.split(" ", GROUPED_WORDS_MAX + 1);
  for (let from = 0; from + 4 < words.length && words.length <= GROUPED_WORDS_MAX; from += 1) {
    const { length = 0 } = words[from + 1] ?? {};
    let to = from + 2;
    while (words[to]?.length === length) {
      to += 1;
    }
    for (const end of [to + 1, to]) {
      const joined = words.slice(from, end).join("");
      if (addressesIn(joined).some(isWholeAddress)) {
        return [...words.slice(0, from), joined, ...words.slice(end)].join(" ");
      }
    }
  }
  return text;
}

// `eip155:8453`, `1:0x…`, `0x…@1`, or a name anywhere in the text, from which the addresses were taken.
function chainInText(text: string): number | undefined {
  const [, id] = /(?:eip155:|@|^)(\d{1,16})(?:[:/]|$)/i.exec(text) ?? [];
  if (id !== undefined) {
    return chainIdOf(id);
  }
  const words = text.split(/[^A-Za-z0-9_-]+/).filter((word) => word !== "" && word.length <= 40 && !/^\d+$/.test(word));
  for (const [place, word] of words.entries()) {
    const chainId = chainIdOf([word, words[place + 1] ?? ""].join("-")) ?? chainIdOf(word);
    if (chainId !== undefined) {
      return chainId;
    }
  }
  return undefined;
}
