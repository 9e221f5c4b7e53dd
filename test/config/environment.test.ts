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

test.each([
  ["line breaks and escape sequences", "1\n\u001b[31m", String.raw`"1\n\u001b[31m"`],
  ["a long value", "9".repeat(5000), `"${"9".repeat(100)}…"`],
])("a fault repeats no %s", (_, value, shown) => {
  expect(() => readConfig({ QUINTET_WORKERS: value })).toThrow(
    `QUINTET_WORKERS must be a whole number from 1 to 256, not ${shown}`,
  );
});

test.each(["https://a.example#x", "https://a.example?x", "https://me@a.example", "https://a.example,https://b.example"])(
  "a single upstream's URL cannot be %s",
  (url) => {
    expect(() => readConfig({ QUINTET_COINS_URL: url })).toThrow("QUINTET_COINS_URL must be an http or https URL; ");
  },
);

test.each(["https://a.example?x", "https://b.example, https://me:secret@a.example"])("the URLs of mirrors cannot be %s", (urls) => {
  expect(() => readConfig({ QUINTET_RADIO_MIRRORS: urls })).toThrow(
    "QUINTET_RADIO_MIRRORS must contain http or https URLs separated by commas; ",
  );
});

test.each(["[::1]", " ", "http://x", "127.0.0.1:8080", "a b", "/run/socket"])("a server cannot listen on %s", (host) => {
  for (const name of ["QUINTET_HOST", "QUINTET_ADMIN_HOST"]) {
    expect(() => readConfig({ [name]: host, QUINTET_ADMIN_PORT: "0" })).toThrow(
      `${name} must be an IP address or a host name, such as 127.0.0.1 or ::1, not "${host}"`,
    );
  }
});

test.each(["::", "::1", "0.0.0.0", "fe80::1%eth0", "::ffff:127.0.0.1", "localhost", "node_1.internal"])(
  "a server may listen on %s",
  (host) => {
    expect(readConfig({ QUINTET_HOST: host }).host).toBe(host);
  },
);
