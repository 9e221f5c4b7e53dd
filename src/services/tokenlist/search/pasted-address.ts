// Finds the addresses in a pasted string: alone or in quotes, without `0x`, shortened, with a chain, as a CAIP identifier, or in the
// URL of a page.
import { chainIdOf } from "../../chains/chains.ts";
import { chainOfPage } from "../../chains/explorers.ts";

/** The beginning and end of an address. */
export interface AddressPattern {
  readonly kind: "evm" | "base58";
  /** In lower case and with `0x` on EVM chains. */
  readonly start: string;
  /** Empty if only the beginning is known. */
  readonly end: string;
}

export interface PastedAddress {
  /** Any of them may be the token's; the most likely first. */
  readonly patterns: readonly AddressPattern[];
  /** The chain that the query names. */
  readonly chainId: number | undefined;
}

const NOTHING: PastedAddress = { patterns: [], chainId: undefined };
const PATTERNS_MAX = 4;
// A shorter run of hexadecimal digits is more often a word than an address.
const BARE_DIGITS_MIN = 8;

const PAGE = /^(?:https?:\/\/)?(?:[a-z0-9-]{1,63}\.)+[a-z]{2,24}\//i;
// Up to 40 digits; in a shortened address, also the digits after the gap.
const HEX = /(?<![0-9a-z])(0x)?([0-9a-f]{3,40})(?:(?:…|\.{2,6}|\*{2,6})([0-9a-f]{2,38}))?(?![0-9a-z])/gi;
const BASE58 = /(?<![0-9a-z])([1-9a-hj-np-z]{3,44})(?:(?:…|\.{2,6}|\*{2,6})([1-9a-hj-np-z]{2,40}))?(?![0-9a-z])/gi;

/** Reads a cleaned string. No patterns if it contains no address. */
export function readPastedAddress(text: string): PastedAddress {
  const page = PAGE.test(text) ? URL.parse(/^https?:/i.test(text) ? text : `https://${text}`) : null;
  const searched = page === null ? text : `${page.pathname} ${page.search} ${page.hash}`;
  const patterns = [...hexPatterns(searched), ...base58Patterns(searched)].slice(0, PATTERNS_MAX);
  if (patterns.length === 0) {
    return NOTHING;
  }
  return { patterns, chainId: page === null ? chainInText(text) : chainOfPage(page) };
}

/** The text to search for if a page's URL contains no token address: the last part of its path, such as `usd-coin`. */
export function textOfPage(text: string): string {
  const page = PAGE.test(text) ? URL.parse(/^https?:/i.test(text) ? text : `https://${text}`) : null;
  return page?.pathname.split("/").findLast((segment) => segment !== "") ?? text;
}

function* hexPatterns(text: string): Iterable<AddressPattern> {
  for (const [, prefix, digits = "", end = ""] of text.matchAll(HEX)) {
    const bareMin = end === "" ? BARE_DIGITS_MIN : 3;
    if (prefix !== undefined || (digits.length >= bareMin && /\d/.test(digits))) {
      yield { kind: "evm", start: `0x${digits.toLowerCase()}`, end: end.toLowerCase() };
    }
  }
}

function* base58Patterns(text: string): Iterable<AddressPattern> {
  for (const [, start = "", end = ""] of text.matchAll(BASE58)) {
    // A word of letters in one case is not an address, unless it is as long as one.
    const mixed = /[A-Z]/.test(start) && /[a-z]/.test(start);
    if (start.length >= 32 || (mixed && (end !== "" || start.length >= BARE_DIGITS_MIN))) {
      yield { kind: "base58", start, end };
    }
  }
}

// `eip155:8453`, `1:0x…`, `0x…@1`, or a name anywhere in the text.
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
