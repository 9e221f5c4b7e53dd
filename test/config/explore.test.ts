import { describe, expect, test } from "vitest";
import { Environment } from "../../src/config/environment.ts";
import { readExploreConfig } from "../../src/config/explore.ts";

const LIVE = `qk_live_${"a".repeat(38)}`;
const TEST = `qk_test_${"a".repeat(38)}`;

const read = (variables: Readonly<Record<string, string>>, isSandbox = false) => {
  const environment = new Environment(variables);
  return { config: readExploreConfig(environment, { isSandbox }), check: () => environment.check() };
};

describe("the key of Explore", () => {
  test("is off until it is set", () => {
    expect(read({}).config).toBeUndefined();
    expect(read({ QUINTET_EXPLORE_CALLS_PER_MINUTE: "5" }).check).not.toThrow();
  });

  test("has limits", () => {
    expect(read({ QUINTET_EXPLORE_KEY: LIVE }).config).toEqual({ key: LIVE, callsPerMinute: 120, callsPerDay: 2000 });
    expect(read({ QUINTET_EXPLORE_KEY: TEST, QUINTET_EXPLORE_CALLS_PER_MINUTE: "2" }, true).config).toEqual({
      key: TEST,
      callsPerMinute: 2,
      callsPerDay: 2000,
    });
  });

  test.each([
    [
      LIVE.slice(0, -1),
      false,
      "must be a complete API key: qk_live_ (qk_test_ in a sandbox) followed by 38 or 40 letters and digits",
    ],
    ["swordfish", false, "must be a complete API key: qk_live_ (qk_test_ in a sandbox) followed by 38 or 40 letters and digits"],
    [TEST, false, "must be a key of this server, qk_live_…, not of a sandbox"],
    [LIVE, true, "must be a sandbox key, qk_test_…"],
  ])("cannot be %s (sandbox: %s), which the error does not repeat", (key, isSandbox, fault) => {
    const { config, check } = read({ QUINTET_EXPLORE_KEY: key }, isSandbox);
    expect(config).toBeUndefined();
    expect(check).toThrow(`QUINTET_EXPLORE_KEY ${fault}`);
    expect(check).not.toThrow(key);
  });
});
