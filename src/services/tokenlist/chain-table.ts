// The chains that have a name here. A chain without one is still served, under its id.

/** One chain. */
export interface Chain {
  /** As wallets use it. Solana has none of its own; its number is the one that Uniswap's list gives it. */
  readonly id: number;
  /** Lower case; what answers say. */
  readonly name: string;
  /** Other names that requests may use, such as those that price sources go by. */
  readonly aliases?: readonly string[];
  /** On a test network: the id of the test network's own first layer. */
  readonly testNetwork?: number;
  /** The chain that it settles to, for those whose lists say `l1Address`. */
  readonly parentId?: number;
}

const ethereumId = 1;
const goerliId = 5;
const sepoliaId = 11155111;

/** Solana's id. */
export const solanaId = 501000101;

/** All of them, by id. */
export const chainTable: readonly Chain[] = [
  { id: ethereumId, name: "ethereum", aliases: ["eth", "mainnet"] },
  { id: 3, name: "ropsten", testNetwork: 3 },
  { id: 4, name: "rinkeby", testNetwork: 4 },
  { id: goerliId, name: "goerli", testNetwork: goerliId },
  { id: 10, name: "optimism", aliases: ["op", "op-mainnet"] },
  { id: 25, name: "cronos" },
  { id: 42, name: "kovan", testNetwork: 42 },
  { id: 56, name: "bsc", aliases: ["bnb", "binance"] },
  { id: 100, name: "gnosis", aliases: ["xdai"] },
  { id: 130, name: "unichain" },
  { id: 137, name: "polygon", aliases: ["matic", "pol"] },
  { id: 143, name: "monad" },
  { id: 146, name: "sonic" },
  { id: 196, name: "xlayer", aliases: ["x-layer"] },
  { id: 250, name: "fantom", aliases: ["ftm"] },
  { id: 252, name: "fraxtal" },
  { id: 288, name: "boba" },
  { id: 324, name: "zksync", aliases: ["era", "zksync-era"] },
  { id: 480, name: "worldchain", aliases: ["world-chain", "wc"] },
  { id: 690, name: "redstone" },
  { id: 1088, name: "metis" },
  { id: 1101, name: "polygon-zkevm" },
  { id: 1135, name: "lisk" },
  { id: 1284, name: "moonbeam" },
  { id: 1750, name: "metal", aliases: ["metall2", "metal-l2"] },
  { id: 1868, name: "soneium" },
  { id: 1923, name: "swell", aliases: ["swellchain"] },
  { id: 4202, name: "lisk-sepolia", testNetwork: sepoliaId },
  { id: 4217, name: "tempo" },
  { id: 4326, name: "megaeth" },
  { id: 4663, name: "robinhood" },
  { id: 4801, name: "worldchain-sepolia", testNetwork: sepoliaId },
  { id: 5000, name: "mantle" },
  { id: 8453, name: "base" },
  { id: 9745, name: "plasma" },
  { id: 34443, name: "mode" },
  { id: 42161, name: "arbitrum", aliases: ["arb", "arbitrum-one"], parentId: ethereumId },
  { id: 42170, name: "arbitrum-nova", aliases: ["nova"], parentId: ethereumId },
  { id: 42220, name: "celo" },
  { id: 43114, name: "avalanche", aliases: ["avax"] },
  { id: 57073, name: "ink" },
  { id: 59144, name: "linea" },
  { id: 80001, name: "mumbai", testNetwork: goerliId },
  { id: 80094, name: "berachain" },
  { id: 81457, name: "blast" },
  { id: 84532, name: "base-sepolia", testNetwork: sepoliaId },
  { id: 421614, name: "arbitrum-sepolia", testNetwork: sepoliaId, parentId: sepoliaId },
  { id: 534352, name: "scroll" },
  { id: 7777777, name: "zora" },
  { id: 11142220, name: "celo-sepolia", testNetwork: sepoliaId },
  { id: sepoliaId, name: "sepolia", testNetwork: sepoliaId },
  { id: 11155420, name: "optimism-sepolia", aliases: ["op-sepolia"], testNetwork: sepoliaId },
  { id: solanaId, name: "solana", aliases: ["sol"] },
];
