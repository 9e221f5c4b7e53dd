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
  attemptTimeoutMs: 4000,
  hedgeMs: 600,
  deadlineMs: 8000,
  freshMs: 60_000,
};

describe("the radio configuration", () => {
  test.each<[string, Record<string, string>, object]>([
    ["has defaults that work", {}, fallback],
    [
      "accepts a list of mirrors",
      { QUINTET_RADIO_MIRRORS: "http://a.example/, https://b.example" },
      { ...fallback, mirrors: ["http://a.example", "https://b.example"] },
    ],
    ["can turn off DNS", { QUINTET_RADIO_SRV: "none" }, { ...fallback, srvName: undefined }],
    [
      "accepts another service name",
      { QUINTET_RADIO_SRV: "_api._tcp.directory.example" },
      { ...fallback, srvName: "_api._tcp.directory.example" },
    ],
    [
      "gives one mirror half of the time of all",
      { QUINTET_RADIO_DEADLINE_MS: "3000" },
      { ...fallback, deadlineMs: 3000, attemptTimeoutMs: 1500 },
    ],
    ["can turn off reuse of fresh responses", { QUINTET_RADIO_FRESH_MS: "0" }, { ...fallback, freshMs: 0 }],
  ])("%s", (_, variables, config) => {
    expect(read(variables)).toEqual(config);
  });

  test("reports everything that is wrong", () => {
    expect(() => read({ QUINTET_RADIO_SRV: "radio-browser.info", QUINTET_RADIO_DEADLINE_MS: "10" })).toThrow(
      new ConfigError([
        'QUINTET_RADIO_SRV must look like _service._tcp.example.org, or be none, not "radio-browser.info"',
        'QUINTET_RADIO_DEADLINE_MS must be a whole number from 100 to 600000, not "10"',
      ]),
    );
  });
});
