// One entry of a token list: checked against the token-lists schema, cleaned, and reduced to what is served.
// https://github.com/Uniswap/token-lists/blob/main/src/tokenlist.schema.json
import { isJsonObject } from "../../../runtime/json-object.ts";
import { isAddressOn, plainAddress } from "../../chains/addresses.ts";
import { CHAIN_ID_MAX, ownChainId } from "../../chains/chains.ts";
import { visibleText } from "../../visible-text.ts";
import { characterCount } from "../text.ts";
import { type BridgeFact, bridgeFacts, bridgeGroup, isExtensionMap } from "./extensions.ts";
import { logoUrl } from "./logo.ts";

export interface ListEntry {
  readonly chainId: number;
  /** In the form of `plainAddress`. */
  readonly address: string;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  /** An https URL, or a URL of the list's own origin. */
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

// The schema requires a URI. Lists have an empty string for tokens without a logo.
const isLogoUri = (value: unknown): value is string =>
  typeof value === "string" && /^(?:[A-Za-z][A-Za-z0-9+.-]*:\S+)?$/.test(value.trim());

/**
 * The entry; undefined if it breaks a rule of the schema, is on a chain whose id is too large, or has an address that its chain
 * cannot have. An invalid logo or bridge is left out of the entry. `listOrigin` is where the list came from.
 */
export function readListEntry(json: unknown, listOrigin?: string): ListEntry | undefined {
  if (!isJsonObject(json)) {
    return undefined;
  }
  const { chainId: listedId, address, name, symbol, decimals, logoURI = "", tags, extensions = {} } = json;
  const chainId = isWholeNumber(listedId, 1, CHAIN_ID_MAX) ? ownChainId(listedId) : 0;
  const isValid =
    chainId !== 0 &&
    typeof address === "string" &&
    isAddressOn(chainId, address) &&
    isName(name) &&
    isSymbol(symbol) &&
    isWholeNumber(decimals, 0, DECIMALS_MAX) &&
    isLogoUri(logoURI) &&
    isTags(tags) &&
    isExtensionMap(extensions) &&
    Object.keys(json).every((key) => ENTRY_KEYS.has(key));
  if (!isValid) {
    return undefined;
  }
  const logo = logoUrl(logoURI, listOrigin);
  const bridges = bridgeFacts(chainId, extensions);
  const group = bridgeGroup(extensions);
  return {
    chainId,
    address: plainAddress(address),
    name: visibleText(name),
    symbol: visibleText(symbol),
    decimals,
    ...(logo === undefined ? {} : { logo }),
    ...(bridges.length === 0 ? {} : { bridges }),
    ...(group === undefined ? {} : { bridgeGroup: group }),
  };
}
