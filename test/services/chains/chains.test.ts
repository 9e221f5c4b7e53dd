import { describe, expect, test } from "vitest";
import {
  areOnDifferentNetworks,
  CHAINS,
  chainById,
  chainIdOf,
  chainName,
  type NetworkKind,
  nearestChainName,
  networkKindOf,
  networkOf,
} from "../../../src/services/chains/chains.ts";
import { MAIN_NETWORKS } from "../../../src/services/chains/main-networks.ts";
import { TEST_NETWORKS } from "../../../src/services/chains/test-networks.ts";

describe("a chain", () => {
  test.each([
    ["1", 1],
    ["8453", 8453],
    ["11297108109", 11297108109],
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", undefined],
    ["12345678901234567", undefined],
    ["0", undefined],
    ["-1", undefined],
    ["1e3", undefined],
    ["0x1", undefined],
    ["ethereum", 1],
    [" Ethereum ", 1],
    ["BASE", 8453],
    ["avax", 43114],
    ["eth", 1],
    ["ETH", 1],
    ["oeth", 10],
    ["arb1", 42161],
    ["arbitrum-nova", 42170],
    ["arbitrum_nova", 42170],
    ["polygon-zkevm", 1101],
    ["gno", 100],
    ["sep", 11155111],
    ["arbitrum one", 42161],
    ["op_mainnet", 10],
    ["solana", 501000101],
    ["1000000001", 501000101],
    ["nowhere", undefined],
    ["", undefined],
  ])("%j is %s", (text, id) => {
    expect(chainIdOf(text)).toBe(id);
  });

  test.each([
    ["etherium", "ethereum"],
    ["arbitrun", "arbitrum"],
    ["polygn", "polygon"],
    ["xyzzyxyzzy", undefined],
  ])("%j was meant to be %s", (text, name) => {
    expect(nearestChainName(text)).toBe(name);
  });

  test("without a name is called by its id", () => {
    expect(chainName(123456)).toBe("123456");
  });

  test.each<[id: number, kind: NetworkKind, network: string]>([
    [1, "main", "main"],
    [8453, "main", "main"],
    [501000101, "main", "main"],
    [3, "test", "test 3"],
    [5, "test", "test 5"],
    [420, "test", "test 5"],
    [84531, "test", "test 5"],
    [80001, "test", "test 5"],
    [11155111, "test", "test 11155111"],
    [84532, "test", "test 11155111"],
    [43113, "test", "test 43113"],
    [123456, "unknown", "unknown 123456"],
  ])("%i is a %s network: %s", (id, kind, network) => {
    expect([networkKindOf(id), networkOf(id)]).toEqual([kind, network]);
  });

  test.each([
    [1, 10, false],
    [1, 84531, true],
    [5, 84531, false],
    [5, 84532, true],
    [1, 123456, false],
    [84532, 123456, false],
  ])("%i and %i are separate: %s", (one, other, apart) => {
    expect([areOnDifferentNetworks(one, other), areOnDifferentNetworks(other, one)]).toEqual([apart, apart]);
  });

  test("has its own id and names", () => {
    const names = CHAINS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    const ids = CHAINS.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(CHAINS.map(({ name }) => chainName(chainIdOf(name) ?? 0))).toEqual(CHAINS.map(({ name }) => name));
  });

  test("has names that can be requested as they are, and never look like an id", () => {
    const names = CHAINS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(names.filter((name) => !/^(?!\d+$)[a-z0-9-]{1,40}$/.test(name))).toEqual([]);
  });

  test("belongs to a test network that is in the table, or to none", () => {
    const layers = TEST_NETWORKS.map(({ testNetwork = 0 }) => chainById(testNetwork));
    expect(layers.map((layer) => layer?.testNetwork === layer?.id)).toEqual(TEST_NETWORKS.map(() => true));
    expect(MAIN_NETWORKS.filter(({ testNetwork }) => testNetwork !== undefined)).toEqual([]);
  });

  test.each([
    ["main", MAIN_NETWORKS],
    ["test", TEST_NETWORKS],
  ])("is in the order of ids among the %s networks", (_which, chains) => {
    expect(chains.map(({ id }) => id)).toEqual(chains.map(({ id }) => id).sort((one, other) => one - other));
  });
});
