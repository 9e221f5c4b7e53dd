// The patterns and lengths that the OpenAPI document has for strings which the services check themselves: what they allow is accepted, what
// they exclude is refused, and the service accepts nothing that they exclude.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHAINS } from "../../src/services/chains/chains.ts";
import { periodSeconds } from "../../src/services/tokenprice/handlers/request-checks.ts";
import { readTokenId } from "../../src/services/tokenprice/token-id.ts";
import { type Schema, schemaFaults } from "../fixtures/json-schema.ts";
import { DATA_OPERATIONS, fetchJson } from "../fixtures/openapi-document.ts";
import type { Query } from "../fixtures/sample-calls.ts";
import { startWorld, type World } from "../fixtures/world.ts";

const EVM = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const MINT = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";

interface Shape {
  readonly path: string;
  readonly name: string;
  readonly with?: Query;
  readonly taken: readonly string[];
  readonly refused: readonly string[];
}

const TOKENS = {
  name: "tokens",
  taken: [
    `ethereum:${EVM}`,
    ` 1:${EVM} `,
    "coingecko:bitcoin",
    "coingecko:academy token",
    `solana:${MINT}`,
    "sui:0x2::sui::SUI",
    "a:b?c",
    `x:${"a".repeat(128)}`,
  ],
  refused: [
    "a:",
    ":a",
    "ab",
    "ethereum",
    "no chain:a",
    "_a:b",
    "ethereum: 0x1",
    "x: a",
    `${"a".repeat(41)}:b`,
    `x:${"a".repeat(129)}`,
    "é:a",
  ],
};
const CHAIN = {
  name: "chain",
  taken: ["ethereum", "ETH", "1", " 8453 ", "Polygon zkEVM", "polygon_zkevm", "\tbase"],
  refused: ["ethereum!", "-", "eth/1", "é", "base-"],
};
const ADDRESS = {
  name: "address",
  taken: [EVM, EVM.toLowerCase(), EVM.replace("0x", "0X"), ` ${EVM}\t`],
  refused: [
    EVM.slice(0, -1),
    `${EVM}0`,
    EVM.slice(2),
    `0x${"g".repeat(40)}`,
    "usdc",
    MINT.slice(0, 31),
    `${MINT}1`,
    MINT.replace("E", "0"),
  ],
};
const PERIOD = { name: "period", taken: ["15m", "1h", "1d", "3w", ""], refused: ["0d", "1000h", "1", "d", "1y", "1D", " 1d"] };
const ONE_TOKEN = { tokens: "coingecko:bitcoin" };

const SHAPES: readonly Shape[] = [
  ...["price", "historical", "chart", "change", "watch"].map((call) => ({
    path: `/token-price/v1/${call}`,
    ...(call === "historical" && { with: { timestamp: "1760000000" } }),
    ...TOKENS,
  })),
  ...["chart", "change"].map((call) => ({ path: `/token-price/v1/${call}`, with: ONE_TOKEN, ...PERIOD })),
  { path: "/token-list/v1/token", with: { address: EVM }, ...CHAIN, refused: [...CHAIN.refused, " "] },
  { path: "/token-list/v1/bridges", with: { address: EVM }, ...CHAIN, refused: [...CHAIN.refused, " "] },
  { path: "/token-list/v1/list", with: { list: "uniswap" }, ...CHAIN, taken: [...CHAIN.taken, "", " "] },
  { path: "/token-list/v1/search", with: { query: "usd" }, ...CHAIN, taken: [...CHAIN.taken, "", " "] },
  { path: "/token-list/v1/token", with: { chain: "ethereum" }, ...ADDRESS },
  { path: "/token-list/v1/bridges", with: { chain: "ethereum" }, ...ADDRESS },
  {
    path: "/token-list/v1/token",
    with: { chain: "solana" },
    name: "address",
    taken: [MINT, ` ${MINT} `],
    refused: [`${MINT}${MINT}`],
  },
  { path: "/radio/v1/search", name: "countrycode", taken: ["DE", "de", ""], refused: ["D", "DEU", "4A", " D"] },
];

function schemaOf(path: string, name: string): Schema {
  const { get } = DATA_OPERATIONS.find((operation) => operation.path === path) ?? {};
  const { schema } = get?.parameters?.find((parameter) => parameter.name === name) ?? {};
  return schema?.items ?? schema ?? {};
}

const promises = (path: string, name: string, value: string): boolean =>
  schemaFaults(schemaOf(path, name), value, name, {}).length === 0;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

// Whether the server objects to the value of this field.
async function takes({ path, name, with: others }: Shape, value: string): Promise<boolean> {
  const query = new URLSearchParams({ ...others, [name]: value });
  const { status, body } = await fetchJson(`${world.gateway.origin}${path}?${query}`, { headers: world.headers });
  const violations = body.error?.details.flatMap(({ field_violations = [] }) => field_violations) ?? [];
  const against = violations.some(({ field }) => field.replace(/\[\d+\]$/, "") === name);
  expect([200, 404, 400]).toContain(status);
  expect(against).toBe(status === 400);
  return !against;
}

test.each(SHAPES)("$name of $path: the document and the server agree", async (shape) => {
  const { path, name, taken, refused } = shape;
  for (const value of taken) {
    expect({ value, promised: promises(path, name, value), taken: await takes(shape, value) }).toEqual({
      value,
      promised: true,
      taken: true,
    });
  }
  for (const value of refused) {
    expect({ value, promised: promises(path, name, value), taken: await takes(shape, value) }).toEqual({
      value,
      promised: false,
      taken: false,
    });
  }
});

test("no token, period or chain that a service accepts is excluded", () => {
  const token = fc.stringMatching(/^[ -~]{0,12}:[ -~]{0,60}$/);
  fc.assert(
    fc.property(token, (text) => "fault" in readTokenId(text) || promises("/token-price/v1/price", "tokens", text)),
    { numRuns: 3000 },
  );
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9]{0,4}[a-z]?$/), (text) => {
      expect(text === "" || periodSeconds(text) !== undefined).toBe(promises("/token-price/v1/chart", "period", text));
    }),
    { numRuns: 1000 },
  );
  const chains = CHAINS.flatMap(({ id, name, aliases = [] }) => [String(id), name, ...aliases]);
  for (const path of ["token", "list", "search", "bridges"]) {
    expect(chains.filter((chain) => !promises(`/token-list/v1/${path}`, "chain", chain))).toEqual([]);
  }
});
