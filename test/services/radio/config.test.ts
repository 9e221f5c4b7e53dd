import { describe, expect, test } from "vitest";
import { ConfigError, Environment } from "../../../src/config/environment.ts";
import { readRadioConfig } from "../../../src/services/radio/config.ts";

const read = (variables: Record<string, string>): unknown => {
  const environment = new Environment(variables);
  const config = readRadioConfig(environment);
  environment.finish();
  return config;
};

const fallback = {
  mirrors: ["https://de1.api.radio-browser.info", "https://de2.api.radio-browser.info", "https://all.api.radio-browser.info"],
  srvName: "_api._tcp.radio-browser.info",
  attemptTimeoutMs: 3750,
  hedgeMs: 600,
  deadlineMs: 7500,
  freshMs: 60_000,
};

describe("the radio configuration", () => {
  test.each<[string, Record<string, string>, object]>([
    ["has defaults that work", {}, fallback],
    [
      "uses the mirrors that are set alone",
      { QUINTET_RADIO_MIRRORS: "http://a.example/, https://b.example" },
      { ...fallback, srvName: undefined, mirrors: ["http://a.example", "https://b.example"] },
    ],
    [
      "gives all mirrors a quarter of the time of a call, and one mirror half of that",
      { QUINTET_CALL_TIMEOUT_MS: "12000" },
      { ...fallback, deadlineMs: 3000, attemptTimeoutMs: 1500 },
    ],
    ["can turn off reuse of fresh responses", { QUINTET_RADIO_FRESH_MS: "0" }, { ...fallback, freshMs: 0 }],
  ])("%s", (_, variables, config) => {
    expect(read(variables)).toEqual(config);
  });

  test("reports everything that is wrong", () => {
    expect(() => read({ QUINTET_RADIO_FRESH_MS: "-1", QUINTET_CALL_TIMEOUT_MS: "10" })).toThrow(
      new ConfigError([
        'QUINTET_CALL_TIMEOUT_MS must be a whole number from 100 to 600000, not "10"',
        'QUINTET_RADIO_FRESH_MS must be a whole number from 0 to 3600000, not "-1"',
      ]),
    );
  });
});
