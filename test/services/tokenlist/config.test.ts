import { describe, expect, test } from "vitest";
import { ConfigError, Environment } from "../../../src/config/environment.ts";
import { readTokenListConfig, type TokenListConfig } from "../../../src/services/tokenlist/config.ts";

const read = (variables: Record<string, string>): TokenListConfig => {
  const environment = new Environment(variables);
  const config = readTokenListConfig(environment);
  environment.finish();
  return config;
};

describe("the token list configuration", () => {
  test("has five lists, each with a fallback, over https", () => {
    const { lists, refreshIntervalMs } = read({});
    expect(lists.map(({ name, urls }) => [name, urls.length, urls.every((url) => url.startsWith("https://"))])).toEqual([
      ["uniswap", 3, true],
      ["superchain", 2, true],
      ["arbitrum", 2, true],
      ["cow", 3, true],
      ["aave", 3, true],
    ]);
    expect(refreshIntervalMs).toBe(10 * 60_000);
  });

  test("asks mirrors of packages before raw files on GitHub, and no gateway of IPFS", () => {
    const hosts = read({}).lists.map(({ urls }) => urls.map((url) => new URL(url).hostname));
    expect(hosts.flat().filter((host) => /ipfs|dweb/.test(host))).toEqual([]);
    expect(
      hosts.filter((each) => each.includes("raw.githubusercontent.com") && each.at(-1) !== "raw.githubusercontent.com"),
    ).toEqual([]);
  });

  test("has no gateway for logos in IPFS unless one is set", () => {
    const variable = "QUINTET_TOKEN_LISTS_IPFS_GATEWAY";
    expect(read({}).ipfsGateway).toBeUndefined();
    expect(read({ [variable]: "https://ipfs.example.com" }).ipfsGateway).toBe("https://ipfs.example.com");
    expect(() => read({ [variable]: "https://me:pw@ipfs.example.com" })).toThrow(
      new ConfigError([
        `${variable} must be an http or https URL; the URL at ipfs.example.com has a user name or password, which would not be sent`,
      ]),
    );
  });

  test("is documented in the form that can be set", () => {
    const environment = new Environment({});
    const config = readTokenListConfig(environment);
    const documented = environment.docs.find(({ name }) => name === "QUINTET_TOKEN_LISTS");
    expect(read({ QUINTET_TOKEN_LISTS: documented?.fallback ?? "" })).toEqual(config);
  });

  test("accepts other lists and fallbacks", () => {
    const text = "mine=http://a.example/list.json?a=b | https://b.example/list.json, list-2=https://c.example/";
    expect(read({ QUINTET_TOKEN_LISTS: text })).toEqual({
      lists: [
        { name: "mine", urls: ["http://a.example/list.json?a=b", "https://b.example/list.json"] },
        { name: "list-2", urls: ["https://c.example/"] },
      ],
      refreshIntervalMs: 10 * 60_000,
    });
  });

  const badName = (name: string): string =>
    `must name each list in 1 to 32 lower-case letters, digits and hyphens; "${name}" is not such a name`;

  test.each([
    ["https://a.example/list.json", badName("https://a.example/list.json")],
    ["Mine=https://a.example/", badName("Mine")],
    ["mine=https://a.example/,", badName("")],
    ["mine", 'must contain http or https URLs; "" is not one'],
    ["mine=ftp://a.example/", 'must contain http or https URLs; "ftp://a.example/" is not one'],
    [
      "mine=https://me:secret@a.example/",
      "must contain http or https URLs; the URL at a.example has a user name or password, which would not be sent",
    ],
    ["mine=https://a.example/|", 'must contain http or https URLs; "" is not one'],
    ["mine=https://a.example/,mine=https://b.example/", "must not give two lists the same name"],
    [`mine=${new Array(9).fill("https://a.example/").join("|")}`, "must contain at most 16 lists with at most 8 URLs each"],
    [
      Array.from({ length: 17 }, (_, at) => `list${at}=https://a.example/`).join(","),
      "must contain at most 16 lists with at most 8 URLs each",
    ],
  ])("refuses %s", (text, fault) => {
    expect(() => read({ QUINTET_TOKEN_LISTS: text })).toThrow(new ConfigError([`QUINTET_TOKEN_LISTS ${fault}`]));
  });
});
