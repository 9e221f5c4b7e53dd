import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CHAINS, chainIdOf } from "../../../src/services/chains/chains.ts";
import { SOURCE_NAMES, sourceNameOf } from "../../../src/services/tokenprice/source/chains.ts";
import { readTokenId, readTokens } from "../../../src/services/tokenprice/token-id.ts";

const weth = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const wethLower = weth.toLowerCase();
const sol = "So11111111111111111111111111111111111111112";

describe("a token identifier", () => {
  test.each([
    [`ethereum:${weth}`, `ethereum:${wethLower}`],
    [`ethereum:0X${weth.slice(2).toUpperCase()}`, `ethereum:${wethLower}`],
    [`a-chain:0X${weth.slice(2).toUpperCase()}`, `a-chain:${wethLower}`],
    [`eip155:1:${weth}`, `ethereum:${wethLower}`],
    [`eip155:1/erc20:${weth}`, `ethereum:${wethLower}`],
    [`EIP155:42161/ERC20:${weth}`, `arbitrum:${wethLower}`],
    [`eip155:987654321:${weth}`, `987654321:${wethLower}`],
    [`solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:${sol}`, `solana:${sol}`],
    [`solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:${sol}`, `solana:${sol}`],
    [`Ethereum:${wethLower}`, `ethereum:${wethLower}`],
    [`avalanche:${weth}`, `avax:${wethLower}`],
    [`BINANCE:${weth}`, `bsc:${wethLower}`],
    [`matic:${weth}`, `polygon:${wethLower}`],
    [`gnosis:${weth}`, `xdai:${wethLower}`],
    [`zksync:${weth}`, `era:${wethLower}`],
    [`polygon-zkevm:${weth}`, `polygon_zkevm:${wethLower}`],
    [`arbitrum-nova:${weth}`, `arbitrum_nova:${wethLower}`],
    [`arbitrum_nova:${weth}`, `arbitrum_nova:${wethLower}`],
    [`eth:${weth}`, `ethereum:${wethLower}`],
    [`1:${weth}`, `ethereum:${wethLower}`],
    [`arb1:${weth}`, `arbitrum:${wethLower}`],
    [`42161:${weth}`, `arbitrum:${wethLower}`],
    [`8453:${weth}`, `base:${wethLower}`],
    [`BNB:${weth}`, `bsc:${wethLower}`],
    [`op:${weth}`, `optimism:${wethLower}`],
    [`worldchain:${weth}`, `wc:${wethLower}`],
    [`sol:${sol}`, `solana:${sol}`],
    [`987654321:${weth}`, `987654321:${wethLower}`],
    [`a-new_chain2:${weth}`, `a-new_chain2:${wethLower}`],
    [`solana:${sol}`, `solana:${sol}`],
    ["coingecko:Bitcoin", "coingecko:bitcoin"],
    ["coingecko:usd-coin", "coingecko:usd-coin"],
    ["coingecko:boringdao-[old]", "coingecko:boringdao-[old]"],
    ["coingecko:academy token", "coingecko:academy token"],
    ["coingecko:a/b?c#d%", "coingecko:a/b?c#d%"],
    [" coingecko:bitcoin\n", "coingecko:bitcoin"],
    [`ethereum:${weth} `, `ethereum:${wethLower}`],
    ["sui:0x2::sui::SUI", "sui:0x2::sui::SUI"],
    [`sui:0x${"2".padStart(64, "0")}::sui::SUI`, "sui:0x2::sui::SUI"],
    ["aptos:0x0A", "aptos:0xa"],
    ["aptos:0x1::pool::Coin<0x01::a::A>", "aptos:0x1::pool::Coin<0x01::a::A>"],
    ["starknet:0x049D36570D4E46F4", "starknet:0x49d36570d4e46f4"],
    ["tron:a?b", "tron:a?b"],
    ["osmosis:ibc/27394FB092D2ECCD", "osmosis:ibc/27394FB092D2ECCD"],
    ["tron:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "tron:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"],
    ["near:wrap.near", "near:wrap.near"],
  ])("%s is requested as %s", (text, id) => {
    expect(readTokenId(text)).toEqual({ id });
  });

  const shape =
    "must be chain:address or coingecko:slug, such as ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 or coingecko:bitcoin";
  const evm = "must have an address of 0x and 40 hexadecimal digits, like all addresses on ethereum";
  const base58 = "must have an address of 32 to 44 base58 characters, like all addresses on solana";
  const slug = "must have a slug of 1 to 128 characters without commas and control characters, such as coingecko:bitcoin";
  const other = "must have an address of 1 to 128 characters without commas and control characters";
  test.each([
    ["", shape],
    ["bitcoin", shape],
    [":0x12", shape],
    ["ethereum:", shape],
    ["ether eum:0x12", shape],
    ["../x:0x12", shape],
    [`${"c".repeat(41)}:x`, shape],
    ["ethereum:0x12", evm],
    ["eth:0x12", evm],
    ["eip155:1:0x12", evm],
    ["eip155:1/erc20:0x12", evm],
    ["1:0x12", evm],
    [`ethereum:${weth}0`, evm],
    [`ethereum:${weth.slice(0, -1)}g`, evm],
    [`ethereum:${weth.slice(2)}`, evm],
    [`solana:${wethLower}`, base58],
    [`solana:${sol.slice(0, 30)}`, base58],
    ["coingecko:a,b", slug],
    ["coingecko:a\0", slug],
    [`coingecko:${"a".repeat(129)}`, slug],
    ["tron:a,b", other],
    ["tron:a\tb", other],
    ["tron:\ud800", other],
    [`tron:${"a".repeat(129)}`, other],
  ])("%j is refused", (text, fault) => {
    expect(readTokenId(text)).toEqual({ fault });
  });

  test("is refused or normalised to a stable form, whatever the string", () => {
    const chains = fc.constantFrom("ethereum", "Solana", "coingecko", "avalanche", "sui", "no such");
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.tuple(chains, fc.oneof(fc.string(), fc.base64String(), fc.constantFrom(weth, sol))).map((parts) => parts.join(":")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const read = readTokenId(text);
        const again = "id" in read ? readTokenId(read.id) : read;
        expect(again).toEqual(read);
      }),
    );
  });
});

test("each chain of the token lists has one name at the price source, which is also accepted as it is", () => {
  const sourceNames = CHAINS.map(({ id, name, aliases = [] }) => {
    const names = new Set([String(id), name, ...aliases].map(sourceNameOf));
    expect([id, names.size]).toEqual([id, 1]);
    return [...names][0] as string;
  });
  expect(new Set(sourceNames).size).toBe(CHAINS.length);
  expect(sourceNames.map(sourceNameOf)).toEqual(sourceNames);
});

test("each spelling of a token is read once, and each fault names its position", () => {
  const spelled = [`ethereum:${weth}`, "bitcoin", "coingecko:bitcoin", `1:${wethLower}`, "solana:x", `ethereum:${weth}`];
  expect(readTokens(spelled)).toEqual({
    tokens: [
      { requested: `ethereum:${weth}`, id: `ethereum:${wethLower}` },
      { requested: "coingecko:bitcoin", id: "coingecko:bitcoin" },
      { requested: `1:${wethLower}`, id: `ethereum:${wethLower}` },
    ],
    violations: [
      { field: "tokens[1]", description: expect.stringMatching(/^must be chain:address/) },
      { field: "tokens[4]", description: expect.stringMatching(/^must have an address of 32 to 44/) },
    ],
  });
});

test("each of the price source's own names is an alias of its chain, so that a token has one id", () => {
  const found = [...SOURCE_NAMES].map(([id, name]) => [id, name, chainIdOf(name)]);
  expect(found).toEqual([...SOURCE_NAMES].map(([id, name]) => [id, name, id]));
});
