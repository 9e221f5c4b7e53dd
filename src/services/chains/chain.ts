// What we know about a chain.

export interface Chain {
  /** As used by wallets. Solana has none; its number is from Uniswap's list. */
  readonly id: number;
  /** Other ids that lists and requests use for it. */
  readonly otherIds?: readonly number[];
  /** Lower case with hyphens, as in responses. */
  readonly name: string;
  /** Other names that requests may use: the short names of EIP-3770, those of price sources, and common ones. */
  readonly aliases?: readonly string[];
  /** For chains on a test network: the id of its first layer. */
  readonly testNetwork?: number;
  /** The chain that it settles to, for those whose token lists say `l1Address`. */
  readonly parentId?: number;
}
