import { InvalidArgumentError } from "commander";
import { describe, expect, test } from "vitest";
import { parseDuration, parsePort, parseServices, parseTime } from "../../src/cli/arguments.ts";

const nowMs = Date.UTC(2026, 10, 21, 12);

describe("parseDuration", () => {
  test.for([
    { text: "0m", ms: 0 },
    { text: "90m", ms: 5_400_000 },
    { text: "24h", ms: 86_400_000 },
    { text: "30d", ms: 2_592_000_000 },
    { text: "2w", ms: 1_209_600_000 },
  ])("$text", ({ text, ms }) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.for(["", "1", "d", "-1d", "1.5h", "1 d", "1y", "1s", "1D", "9999999d"])("%j is invalid", (text) => {
    expect(() => parseDuration(text)).toThrow(InvalidArgumentError);
  });
});

describe("parseTime", () => {
  test.for([
    { text: "1d", iso: "2026-11-22T12:00:00.000Z" },
    { text: "2027-01-31", iso: "2027-01-31T00:00:00.000Z" },
    { text: "2027-01-31T12:00Z", iso: "2027-01-31T12:00:00.000Z" },
    { text: "2027-01-31T12:00:30.5+02:00", iso: "2027-01-31T10:00:30.500Z" },
  ])("$text", ({ text, iso }) => {
    expect(new Date(parseTime(text, nowMs)).toISOString()).toBe(iso);
  });

  test.for(["tomorrow", "2027-13-01", "2027-01-31T12:00", "2027-1-1", "31.1.2027", "1798761600"])("%j is invalid", (text) => {
    expect(() => parseTime(text, nowMs)).toThrow(InvalidArgumentError);
  });
});

test("parseServices ignores blanks around the names", () => {
  expect(parseServices("radio, token-list")).toEqual(["radio", "token-list"]);
});

describe("parsePort", () => {
  test.for([
    { text: "0", port: 0 },
    { text: "8081", port: 8081 },
    { text: "65535", port: 65_535 },
  ])("$text", ({ text, port }) => {
    expect(parsePort(text)).toBe(port);
  });

  test.for(["", "-1", "65536", "80.5", "0x50", "8081 ", "http"])("%j is invalid", (text) => {
    expect(() => parsePort(text)).toThrow("A port is a whole number from 0 to 65535; 0 picks a free one.");
  });
});
