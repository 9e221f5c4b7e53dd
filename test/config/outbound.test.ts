import { describe, expect, test } from "vitest";
import { ConfigError, Environment } from "../../src/config/environment.ts";
import { readOutboundConfig } from "../../src/config/outbound.ts";
import { version } from "../../src/runtime/version.ts";
import { readTokenPriceConfig } from "../../src/services/tokenprice/config.ts";

function faultsOf(environment: Environment): readonly string[] {
  try {
    environment.finish();
    return [];
  } catch (error) {
    return error instanceof ConfigError ? error.faults : [String(error)];
  }
}

test.each([
  [undefined, `Quintet/${version}`],
  ["https://api.example.com", `Quintet/${version} (+https://api.example.com)`],
])("upstreams are told the product, its version and the public URL %s", (publicUrl, userAgent) => {
  const environment = new Environment({});
  expect(readOutboundConfig(environment, publicUrl)).toEqual({ userAgent, connectTimeoutMs: 5000, proxy: undefined });
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
  expect(faultsOf(environment)).toEqual([]);
});

describe("the proxy", () => {
  test.each([
    [{ HTTPS_PROXY: "http://p:1" }, { https: "http://p:1", http: "", none: "localhost,127.0.0.1,::1" }],
    [
      { https_proxy: "http://p:1", HTTP_PROXY: "http://q:2", no_proxy: ".a" },
      { https: "http://p:1", http: "http://q:2", none: ".a,localhost,127.0.0.1,::1" },
    ],
    [{ NO_PROXY: "*" }, undefined],
  ])("of %o is %o", (variables, proxy) => {
    expect(readOutboundConfig(new Environment(variables), undefined).proxy).toEqual(proxy);
  });

  test("must be a URL, and a fault does not repeat it", () => {
    const environment = new Environment({ HTTPS_PROXY: "user:secret@proxy" });
    readOutboundConfig(environment, undefined);
    expect(faultsOf(environment)).toEqual(["HTTPS_PROXY must be an http or https URL, such as http://proxy.example:3128"]);
  });
});

describe("the price source", () => {
  test("is the public one by default", () => {
    expect(readTokenPriceConfig(new Environment({}))).toEqual({
      url: "https://coins.llama.fi",
      timeoutMs: 7500,
      cacheMs: 20_000,
      concurrencyMax: 8,
      requestsPerSecondMax: 5,
    });
  });

  test("can be set", () => {
    const environment = new Environment({
      QUINTET_COINS_URL: "http://coins.internal/v1/",
      QUINTET_CALL_TIMEOUT_MS: "2000",
      QUINTET_COINS_CACHE_MS: "0",
    });
    expect(readTokenPriceConfig(environment)).toEqual({
      url: "http://coins.internal/v1",
      timeoutMs: 500,
      cacheMs: 0,
      concurrencyMax: 8,
      requestsPerSecondMax: 5,
    });
    expect(faultsOf(environment)).toEqual([]);
  });

  test.each(["http://127.0.0.1:9000", "http://[::1]:9000", "http://localhost"])("is not spared at %s, on this machine", (url) => {
    expect(readTokenPriceConfig(new Environment({ QUINTET_COINS_URL: url })).requestsPerSecondMax).toBeUndefined();
  });
});
