// Which chain a block explorer or another page is about, by its host and path.
import { chainIdOf, chainName } from "./chains.ts";

// Hosts of explorers whose names do not contain the chain.
export const EXPLORER_HOSTS: ReadonlyMap<string, number> = new Map([
  ["etherscan.io", 1],
  ["optimistic.etherscan.io", 10],
  ["cronoscan.com", 25],
  ["bscscan.com", 56],
  ["opbnb.bscscan.com", 204],
  ["gnosisscan.io", 100],
  ["uniscan.xyz", 130],
  ["polygonscan.com", 137],
  ["zkevm.polygonscan.com", 1101],
  ["monadscan.com", 143],
  ["monadvision.com", 143],
  ["sonicscan.org", 146],
  ["bttcscan.com", 199],
  ["ftmscan.com", 250],
  ["fraxscan.com", 252],
  ["worldscan.org", 480],
  ["hyperevmscan.io", 999],
  ["moonscan.io", 1284],
  ["moonriver.moonscan.io", 1285],
  ["seiscan.io", 1329],
  ["abscan.org", 2741],
  ["mantlescan.xyz", 5000],
  ["kaiascan.io", 8217],
  ["basescan.org", 8453],
  ["plasmascan.to", 9745],
  ["apescan.io", 33139],
  ["arbiscan.io", 42161],
  ["nova.arbiscan.io", 42170],
  ["celoscan.io", 42220],
  ["snowtrace.io", 43114],
  ["snowscan.xyz", 43114],
  ["avascan.info", 43114],
  ["explorer.inkonchain.com", 57073],
  ["lineascan.build", 59144],
  ["berascan.com", 80094],
  ["blastscan.io", 81457],
  ["taikoscan.io", 167000],
  ["scrollscan.com", 534352],
  ["katanascan.com", 747474],
  ["explorer.zora.energy", 7777777],
  ["explorer.zksync.io", 324],
  ["era.zksync.network", 324],
  ["solscan.io", 501000101],
  ["explorer.solana.com", 501000101],
  ["solana.fm", 501000101],
]);

/** The chain that a page is about; undefined if its URL does not show it. `url` has a scheme. */
export function chainOfPage(url: URL): number | undefined {
  const labels = url.hostname.replace(/^www\./, "").split(".");
  const known = labels.keys().find((from) => EXPLORER_HOSTS.has(labels.slice(from).join(".")));
  if (known !== undefined) {
    const chainId = EXPLORER_HOSTS.get(labels.slice(known).join(".")) as number;
    // As in `sepolia.basescan.org` and `sepolia-optimism.etherscan.io`.
    const [before = ""] = labels;
    return known === 0 ? chainId : (testNetworkOf(chainId, before) ?? chainId);
  }
  const params = ["chain", "chainId", "chain_id", "network"].flatMap((name) => url.searchParams.get(name) ?? []);
  const segments = url.pathname.split("/").filter((segment) => segment !== "");
  for (const text of [...params, ...segments.filter((segment) => !/^\d+$/.test(segment)), ...labels.slice(0, -1)]) {
    const chainId = chainIdOf(text);
    if (chainId !== undefined) {
      return chainId;
    }
  }
  return undefined;
}

function testNetworkOf(chainId: number, label: string): number | undefined {
  const [network = "", layer] = label.split("-");
  return chainIdOf(`${layer ?? chainName(chainId)}-${network}`) ?? chainIdOf(label);
}
