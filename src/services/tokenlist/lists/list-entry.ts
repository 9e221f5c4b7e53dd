// One entry of a token list: checked, cleaned, and reduced to what is served. As wallets do, it takes entries that break a rule of the
// public schema if what is served of them can be used: long symbols, tags and extensions of any kind, unknown keys.
// https://github.com/Uniswap/token-lists/blob/main/src/tokenlist.schema.json
import { isJsonObject } from "../../../runtime/json-object.ts";
import { addressRule, isAddressOn, plainAddress } from "../../chains/addresses.ts";
import { CHAIN_ID_MAX, ownChainId } from "../../chains/chains.ts";
import { visibleText } from "../../visible-text.ts";
import { characterCount } from "../text.ts";
import { type BridgeFact, bridgeFacts, bridgeGroup } from "./extensions.ts";
import { type Logo, type LogoOrigins, logoOf } from "./logo.ts";

export interface ListEntry extends Logo {
  readonly chainId: number;
  /** In the form of `plainAddress`. */
  readonly address: string;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly bridges?: readonly BridgeFact[];
  /** Entries of one list with the same group are the same token. */
  readonly bridgeGroup?: string;
}

const NAME_CHARACTERS_MAX = 128;
const SYMBOL_CHARACTERS_MAX = 64;
const DECIMALS_MAX = 255;

const isWholeNumber = (value: unknown, min: number, max: number): value is number =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max;

// One line of text.
const isLine = (value: unknown, charactersMax: number): value is string =>
  typeof value === "string" && /^[ \S]*$/.test(value) && (value.length <= charactersMax || characterCount(value) <= charactersMax);

/**
 * The entry, or the rule that it breaks. An invalid logo, bridge or group is left out of the entry.
 */
export function readListEntry(json: unknown, logoOrigins?: LogoOrigins): ListEntry | string {
  if (!isJsonObject(json)) {
    return "an entry must be an object";
  }
  const { chainId: listedId, address, name, symbol, decimals, logoURI, extensions } = json;
  if (!isWholeNumber(listedId, 1, CHAIN_ID_MAX)) {
    return `chainId must be a whole number from 1 to ${CHAIN_ID_MAX}`;
  }
  const chainId = ownChainId(listedId);
  if (typeof address !== "string" || !isAddressOn(chainId, address)) {
    return `address must be ${addressRule(chainId)}`;
  }
  if (!isLine(name, NAME_CHARACTERS_MAX)) {
    return `name must be a line of at most ${NAME_CHARACTERS_MAX} characters`;
  }
  if (!isLine(symbol, SYMBOL_CHARACTERS_MAX)) {
    return `symbol must be a line of at most ${SYMBOL_CHARACTERS_MAX} characters`;
  }
  if (!isWholeNumber(decimals, 0, DECIMALS_MAX)) {
    return `decimals must be a whole number from 0 to ${DECIMALS_MAX}`;
  }
  const read = isJsonObject(extensions) ? extensions : {};
  const bridges = bridgeFacts(chainId, read);
  const group = bridgeGroup(read);
  return {
    chainId,
    address: plainAddress(address),
    name: visibleText(name),
    symbol: visibleText(symbol),
    decimals,
    ...(typeof logoURI === "string" ? logoOf(logoURI, logoOrigins) : {}),
    ...(bridges.length === 0 ? {} : { bridges }),
    ...(group === undefined ? {} : { bridgeGroup: group }),
  };
}
