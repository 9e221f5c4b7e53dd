// Which variables with our prefix a server accepts.
import { expect, test } from "vitest";
import { readConfig } from "../../src/server-config.ts";

const DEFAULTS = readConfig({});

test("variables that only clients read may be set, and change nothing", () => {
  expect(readConfig({ QUINTET_KEY: "qk_test_key", QUINTET_URL: "http://127.0.0.1:8080" })).toEqual(DEFAULTS);
});

test("any other variable that nothing reads is refused", () => {
  expect(() => readConfig({ QUINTET_KEYS: "1" })).toThrow("QUINTET_KEYS is not a variable that Quintet knows");
});
