// Reads which token lists are merged, where each is fetched, and how often.
import type { Environment } from "../../config/environment.ts";
import { baseUrlFault, documentUrlFault } from "../../config/upstream-url.ts";

/** One token list and where it is fetched. */
export interface TokenListSource {
  /** The name for callers: lower-case letters, digits and hyphens. */
  readonly name: string;
  /** Its own address first, then fallbacks. At least one. */
  readonly urls: readonly string[];
}

export interface TokenListConfig {
  /** In order of precedence when lists disagree. */
  readonly lists: readonly TokenListSource[];
  readonly refreshIntervalMs: number;
  /** The base URL of an IPFS gateway for logos. */
  readonly ipfsGateway?: string | undefined;
}

const GITHUB_RAW = "https://raw.githubusercontent.com";
const UNPKG = "https://unpkg.com";
const JSDELIVR = "https://cdn.jsdelivr.net";

// Mirrors of packages come before raw files on GitHub, which refuses anonymous readers that request them often.
const DEFAULT_LISTS: readonly TokenListSource[] = [
  {
    name: "uniswap",
    urls: [
      "https://tokens.uniswap.org",
      `${UNPKG}/@uniswap/default-token-list@latest/build/uniswap-default.tokenlist.json`,
      `${JSDELIVR}/npm/@uniswap/default-token-list@latest/build/uniswap-default.tokenlist.json`,
    ],
  },
  {
    name: "superchain",
    urls: [
      "https://static.optimism.io/optimism.tokenlist.json",
      `${GITHUB_RAW}/ethereum-optimism/ethereum-optimism.github.io/master/optimism.tokenlist.json`,
    ],
  },
  {
    // The second list is a closed set, made from itself: better than nothing. Their titles differ.
    name: "arbitrum",
    urls: [
      "https://tokenlist.arbitrum.io/ArbTokenLists/arbed_uniswap_labs_default.json",
      "https://tokenlist.arbitrum.io/ArbTokenLists/arbed_arb_whitelist_era.json",
    ],
  },
  {
    name: "cow",
    urls: [
      "https://files.cow.fi/token-lists/CowSwap.json",
      "https://files.cow.fi/tokens/CowSwap.json",
      `${GITHUB_RAW}/cowprotocol/token-lists/main/src/public/CowSwap.json`,
    ],
  },
  {
    name: "aave",
    urls: [
      `${UNPKG}/@aave-dao/aave-address-book@latest/tokenlist.json`,
      `${JSDELIVR}/npm/@aave-dao/aave-address-book@latest/tokenlist.json`,
      `${GITHUB_RAW}/aave-dao/aave-address-book/main/tokenlist.json`,
    ],
  },
];

const LISTS_MAX = 16;
const URLS_PER_LIST_MAX = 8;
// Seldom enough for public hosts, which are asked only whether a list has changed.
const REFRESH_INTERVAL_MS = 10 * 60_000;

const formatOf = (lists: readonly TokenListSource[]): string =>
  lists.map(({ name, urls }) => `${name}=${urls.join("|")}`).join(",");

// Returns the lists, or what is wrong with the setting.
function parseLists(text: string): readonly TokenListSource[] | string {
  const lists = text.split(",").map((part): TokenListSource => {
    const [name = "", ...rest] = part.trim().split("=");
    const urls = rest.join("=").split("|");
    return { name: name.trim(), urls: urls.map((url) => url.trim()) };
  });
  const badName = lists.find(({ name }) => !/^[a-z][a-z0-9-]{0,31}$/.test(name));
  const urlFault = lists.flatMap(({ urls }) => urls.map((url) => documentUrlFault(url))).find((fault) => fault !== undefined);
  if (badName !== undefined) {
    return `must name each list in 1 to 32 lower-case letters, digits and hyphens; "${badName.name}" is not such a name`;
  }
  if (urlFault !== undefined) {
    return `must contain http or https URLs; ${urlFault}`;
  }
  if (new Set(lists.map(({ name }) => name)).size < lists.length) {
    return "must not give two lists the same name";
  }
  if (lists.length > LISTS_MAX || lists.some(({ urls }) => urls.length > URLS_PER_LIST_MAX)) {
    return `must contain at most ${LISTS_MAX} lists with at most ${URLS_PER_LIST_MAX} URLs each`;
  }
  return lists;
}

/** Reads QUINTET_TOKEN_LISTS and QUINTET_TOKEN_LISTS_IPFS_GATEWAY. */
export function readTokenListConfig(environment: Environment): TokenListConfig {
  const text = environment.text(
    "QUINTET_TOKEN_LISTS",
    formatOf(DEFAULT_LISTS),
    "The token lists to merge, as `name=URL|fallback URL|…`, separated by commas. If lists disagree, the majority wins, then the order given here.",
  );
  const lists = parseLists(text);
  if (typeof lists === "string") {
    environment.fault("QUINTET_TOKEN_LISTS", lists);
  }
  const ipfsGateway = environment.text(
    "QUINTET_TOKEN_LISTS_IPFS_GATEWAY",
    "",
    "A gateway at which logos with `ipfs://` addresses can be loaded, such as `https://ipfs.example.com`. By default they have no URL, only that address.",
  );
  const gatewayFault = ipfsGateway === "" ? undefined : baseUrlFault(ipfsGateway);
  if (gatewayFault !== undefined) {
    environment.fault("QUINTET_TOKEN_LISTS_IPFS_GATEWAY", `must be an http or https URL; ${gatewayFault}`);
  }
  return {
    lists: typeof lists === "string" ? DEFAULT_LISTS : lists,
    refreshIntervalMs: REFRESH_INTERVAL_MS,
    ...(ipfsGateway === "" ? {} : { ipfsGateway }),
  };
}
