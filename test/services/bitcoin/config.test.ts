import { describe, expect, test } from "vitest";
import { ConfigError, Environment } from "../../../src/config/environment.ts";
import { readBitcoinConfig } from "../../../src/services/bitcoin/config.ts";

const read = (variables: Record<string, string>): unknown => {
  const environment = new Environment(variables);
  const config = readBitcoinConfig(environment);
  environment.finish();
  return config;
};

const fallback = {
  chartsUrl: "https://api.blockchain.info/charts",
  chainUrl: "https://bitview.space",
  prices: [
    { name: "coinbase", url: "https://api.exchange.coinbase.com" },
    { name: "kraken", url: "https://api.kraken.com" },
    { name: "binance", url: "https://data-api.binance.vision" },
    { name: "blockchain.com", url: "https://api.blockchain.info/charts" },
  ],
};

describe("the Bitcoin configuration", () => {
  test.each<[string, Record<string, string>, object]>([
    ["has defaults that work", {}, fallback],
    [
      "accepts another URL for the charts",
      { QUINTET_BITCOIN_CHARTS_URL: "http://charts.example/charts/" },
      { ...fallback, chartsUrl: "http://charts.example/charts" },
    ],
    [
      "accepts an own server for what the charts lack",
      { QUINTET_BITCOIN_CHAIN_URL: "http://brk.example:3110/" },
      { ...fallback, chainUrl: "http://brk.example:3110" },
    ],
    [
      "keeps price sources in the order given",
      { QUINTET_BITCOIN_PRICE_URLS: "kraken=http://a.example/ , blockchain.com=https://b.example/charts/token=x" },
      {
        ...fallback,
        prices: [
          { name: "kraken", url: "http://a.example" },
          { name: "blockchain.com", url: "https://b.example/charts/token=x" },
        ],
      },
    ],
  ])("%s", (_, variables, config) => {
    expect(read(variables)).toEqual(config);
  });

  const shape =
    "QUINTET_BITCOIN_PRICE_URLS must contain name=URL pairs separated by commas, with names from coinbase, kraken, binance, blockchain.com;";

  test.each<[string, Record<string, string>, string]>([
    ["a URL alone", { QUINTET_BITCOIN_PRICE_URLS: "https://a.example" }, `${shape} "https://a.example" is not one`],
    [
      "an unknown source",
      { QUINTET_BITCOIN_PRICE_URLS: "kraken=https://a.example,mtgox=https://b.example" },
      `${shape} "mtgox=https://b.example" is not one`,
    ],
    ["an invalid URL", { QUINTET_BITCOIN_PRICE_URLS: "kraken=a.example" }, `${shape} "kraken=a.example" is not one`],
    ["an empty entry in the list", { QUINTET_BITCOIN_PRICE_URLS: "kraken=https://a.example," }, `${shape} "" is not one`],
    [
      "a source twice",
      { QUINTET_BITCOIN_PRICE_URLS: "kraken=https://a.example,kraken=https://b.example" },
      'QUINTET_BITCOIN_PRICE_URLS must name each source only once; "kraken" appears twice',
    ],
    [
      "an invalid charts URL",
      { QUINTET_BITCOIN_CHARTS_URL: "charts" },
      'QUINTET_BITCOIN_CHARTS_URL must be an http or https URL; "charts" is not one',
    ],
    [
      "two charts URLs",
      { QUINTET_BITCOIN_CHARTS_URL: "https://a.example,https://b.example" },
      'QUINTET_BITCOIN_CHARTS_URL must be an http or https URL; "https://a.example,https://b.example" is not one',
    ],
    [
      "a charts URL with a query",
      { QUINTET_BITCOIN_CHARTS_URL: "https://a.example/charts?key=1" },
      'QUINTET_BITCOIN_CHARTS_URL must be an http or https URL; "https://a.example/charts?…" has a query or fragment, but paths are appended to it',
    ],
    [
      "a source with a password, which is not repeated",
      { QUINTET_BITCOIN_PRICE_URLS: "kraken=https://me:secret@a.example" },
      `${shape} the URL at a.example has a user name or password, which would not be sent`,
    ],
    [
      "a source of another scheme with a password, which is not repeated",
      { QUINTET_BITCOIN_PRICE_URLS: "kraken=ftp://me:sec/ret@a.example" },
      `${shape} "…@a.example" is not one`,
    ],
    [
      "a source without a name and with a password, which is not repeated",
      { QUINTET_BITCOIN_PRICE_URLS: "https://me:secret@a.example?key=secret" },
      `${shape} "…@a.example?…" is not one`,
    ],
    [
      "two charts URLs with passwords, which are not repeated",
      { QUINTET_BITCOIN_CHARTS_URL: "https://me:secret@a.example,https://me:secret@b.example" },
      'QUINTET_BITCOIN_CHARTS_URL must be an http or https URL; "…@b.example" is not one',
    ],
  ])("refuses %s", (_, variables, fault) => {
    expect(() => read(variables)).toThrow(new ConfigError([fault]));
  });
});
