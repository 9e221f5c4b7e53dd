// What is known of a chain.

/** One chain. */
export interface Chain {
  /** As wallets use it. Solana has none of its own; its number is the one that Uniswap's list gives it. */
  readonly id: number;
  /** Lower case with hyphens; what answers say. */
  readonly name: string;
  /** Other names that requests may use: the short names of EIP-3770, those that price sources go by, and what people say. */
  readonly aliases?: readonly string[];
  /** On a test network: the id of the test network's own first layer. */
  readonly testNetwork?: number;
  /** The chain that it settles to, for those whose token lists say `l1Address`. */
  readonly parentId?: number;
}
