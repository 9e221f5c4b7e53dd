// One entry of a token list: checked against the token-lists schema, cleaned, and cut down to what is served.
// https://github.com/Uniswap/token-lists/blob/main/src/tokenlist.schema.json
import { CHAIN_ID_MAX } from "../../chains/chains.ts";
import { isAddressOn, plainAddress } from "../address.ts";
import { characterCount, cleanText } from "../text.ts";
import { type BridgeFact, bridgeFacts, bridgeGroup, isExtensionMap, isJsonObject } from "./extensions.ts";
import { logoUrl } from "./logo.ts";

/** A good entry. */
export interface ListEntry {
  readonly chainId: number;
  /** Plain. */
  readonly address: string;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  /** A URL, of https or of the list's own origin. */
  readonly logo?: string;
  readonly bridges?: readonly BridgeFact[];
  /** Entries of one list with the same group are the same token. */
  readonly bridgeGroup?: string;
}

const ENTRY_KEYS = new Set(["chainId", "address", "decimals", "name", "symbol", "logoURI", "tags", "extensions"]);
const NAME_CHARACTERS_MAX = 60;
const SYMBOL_CHARACTERS_MAX = 20;
const DECIMALS_MAX = 255;
const TAGS_MAX = 10;

const isWholeNumber = (value: unknown, min: number, max: number): value is number =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max;

const fits = (text: string, charactersMax: number): boolean =>
  text.length <= charactersMax || characterCount(text) <= charactersMax;

const isName = (value: unknown): value is string =>
  typeof value === "string" && /^[ \S]*$/.test(value) && fits(value, NAME_CHARACTERS_MAX);

const isSymbol = (value: unknown): value is string =>
  typeof value === "string" && /^\S*$/.test(value) && fits(value, SYMBOL_CHARACTERS_MAX);

const isTags = (value: unknown): boolean =>
  value === undefined ||
  (Array.isArray(value) && value.length <= TAGS_MAX && value.every((tag) => typeof tag === "string" && /^\w{1,10}$/.test(tag)));

/**
 * The entry; undefined when it breaks a rule of the schema, is on a chain whose id is too large to be served, or has an address
 * that its chain cannot have. A logo that cannot be shown is left out of the entry, and so is a bridge that is not well formed.
 * `listOrigin` is where the list came from.
 */
export function readListEntry(json: unknown, listOrigin?: string): ListEntry | undefined {
  if (!isJsonObject(json)) {
    return undefined;
  }
  const { chainId, address, name, symbol, decimals, logoURI = "", tags, extensions = {} } = json;
  const good =
    isWholeNumber(chainId, 1, CHAIN_ID_MAX) &&
    typeof address === "string" &&
    isAddressOn(chainId, address) &&
    isName(name) &&
    isSymbol(symbol) &&
    isWholeNumber(decimals, 0, DECIMALS_MAX) &&
    typeof logoURI === "string" &&
    isTags(tags) &&
    isExtensionMap(extensions) &&
    Object.keys(json).every((key) => ENTRY_KEYS.has(key));
  if (!good) {
    return undefined;
  }
  const logo = logoUrl(logoURI, listOrigin);
  const bridges = bridgeFacts(chainId, extensions);
  const group = bridgeGroup(extensions);
  return {
    chainId,
    address: plainAddress(address),
    name: cleanText(name),
    symbol: cleanText(symbol),
    decimals,
    ...(logo === undefined ? {} : { logo }),
    ...(bridges.length === 0 ? {} : { bridges }),
    ...(group === undefined ? {} : { bridgeGroup: group }),
  };
}
