// What we know about a chain.

export interface Chain {
  /** As used by wallets. Solana has no such id; its number is from Uniswap's list. */
  readonly id: number;
  /** Other ids that lists and requests use for it. */
  readonly otherIds?: readonly number[];
  /** Lower case with hyphens, as in responses. */
  readonly name: string;
  /** Other names that requests may use: the short names of EIP-3770, those of price sources, and common ones. */
  readonly aliases?: readonly string[];
  /** For chains on a test network: the id of that network's first layer. */
  readonly testNetwork?: number;
  /** The chain to which this one settles; only given if its token lists contain `l1Address`. */
  readonly parentId?: number;
}
