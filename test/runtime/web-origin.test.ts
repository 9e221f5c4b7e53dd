import { expect, test } from "vitest";
import { isWebOrigin, originOf } from "../../src/runtime/web-origin.ts";

test.for<[text: string, isOrigin: boolean, origin: string | undefined]>([
  ["https://app.example.com", true, "https://app.example.com"],
  ["http://localhost:3000", true, "http://localhost:3000"],
  ["http://127.0.0.1:8080", true, "http://127.0.0.1:8080"],
  ["http://[::1]:8080", true, "http://[::1]:8080"],
  ["https://xn--bcher-kva.example", true, "https://xn--bcher-kva.example"],
  ["capacitor://localhost", true, undefined],
  ["chrome-extension://abcdefghijklmnopabcdefghijklmnop", true, undefined],
  ["https://app.example.com/", false, "https://app.example.com"],
  ["https://app.example.com/page?x=1#y", false, "https://app.example.com"],
  ["https://App.Example.com", false, "https://app.example.com"],
  ["HTTPS://app.example.com", false, "https://app.example.com"],
  ["https://app.example.com:443", false, "https://app.example.com"],
  ["https://user@app.example.com", false, "https://app.example.com"],
  ["https://bücher.example", false, "https://xn--bcher-kva.example"],
  ["https://*.example.com", false, "https://*.example.com"],
  ["capacitor://", false, undefined],
  ["capacitor://localhost/", false, undefined],
  ["app.example.com", false, undefined],
  ["*", false, undefined],
  ["null", false, undefined],
  ["", false, undefined],
  [`https://${"a".repeat(60)}.${"b".repeat(40)}`, false, `https://${"a".repeat(60)}.${"b".repeat(40)}`],
])("that %j is an origin is %j, and its page's origin is %j", ([text, isOrigin, origin]) => {
  expect(isWebOrigin(text)).toBe(isOrigin);
  expect(originOf(text)).toBe(origin);
});
