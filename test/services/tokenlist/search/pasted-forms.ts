// The forms in which people paste a token's address, and those of them that do not find it.
import { create } from "@bufbuild/protobuf";
import { SearchTokensRequestSchema, type Token } from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { CHAINS } from "../../../../src/services/chains/chains.ts";
import { EXPLORER_HOSTS } from "../../../../src/services/chains/explorers.ts";
import { searchTokens } from "../../../../src/services/tokenlist/handlers/search-tokens.ts";
import type { TokenIndex } from "../../../../src/services/tokenlist/index/token-index.ts";

const explorers = new Map([...EXPLORER_HOSTS].map(([host, chainId]) => [chainId, host] as const));
const groups = (text: string): string => text.match(/.{1,4}/g)?.join(" ") ?? "";

/** A form: what is pasted, and whether it is the whole address, and names the chain. */
type PastedForm = readonly [text: string, isWhole: boolean, namesChain: boolean];

function formsOf({ address, chain, chainId }: Token): readonly PastedForm[] {
  const { aliases = [] } = CHAINS.find(({ name }) => name === chain) ?? {};
  const host = explorers.get(Number(chainId));
  const shortened = (start: number, end: number, gap: string): PastedForm => [
    `${address.slice(0, start)}${gap}${address.slice(-end)}`,
    false,
    false,
  ];
  const alone = [address, `"${address}"`, groups(address), `the token ${address}`];
  const onChain = [
    `${groups(address)} on ${chain}`,
    `${chainId}:${address}`,
    `${address} on ${chain}`,
    `https://dexscreener.com/${chain}/${address}`,
    `https://birdeye.so/token/${address}?chain=${chain}`,
    `https://birdeye.so/${chain}/token/${address}`,
    ...[chain, ...aliases].map((name) => `${name}:${address}`),
    ...(host === undefined ? [] : [`https://${host}/token/${address}`, `${host}/token/${address}#holders`]),
  ];
  if (chain === "solana") {
    onChain.push(
      `https://explorer.solana.com/address/${address}`,
      `https://solscan.io/token/${address}`,
      `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:${address}`,
    );
    alone.push(`https://jup.ag/tokens/${address}`, `https://jup.ag/swap/SOL-${address}`);
  } else {
    onChain.push(
      `eip155:${chainId}:${address}`,
      `eip155:${chainId}/erc20:${address}`,
      `https://${chain}.blockscout.com/token/${address}?tab=holders`,
    );
    alone.push(address.toLowerCase(), address.toUpperCase(), address.slice(2));
  }
  return [
    ...alone.map((text): PastedForm => [text, true, false]),
    ...onChain.map((text): PastedForm => [text, true, true]),
    shortened(6, 6, "…"),
    shortened(6, 4, "..."),
    shortened(8, 4, "****"),
    [address.slice(0, 20), false, false],
  ];
}

/** The forms that do not find their token, find one with another address, or one on another chain than they name. */
export function formsNotFound(index: TokenIndex, tokens: readonly Token[]): string[] {
  const freshness = index.lists.map(() => ({ confirmedAtMs: 0, stale: false }));
  return tokens.flatMap((token) =>
    formsOf(token).flatMap(([query, isWhole, namesChain]) => {
      const { results = [] } = searchTokens(create(SearchTokensRequestSchema, { query, limit: 500 }), { index, freshness });
      const isRight =
        results.includes(token) &&
        results.every(({ address, chain }) => (!isWhole || address === token.address) && (!namesChain || chain === token.chain));
      return isRight ? [] : [query];
    }),
  );
}
