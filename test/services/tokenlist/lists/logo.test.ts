import { expect, test } from "vitest";
import { logoUrl } from "../../../../src/services/tokenlist/lists/logo.ts";

test.each([
  ["https://example.org/a.png", "https://example.org/a.png"],
  [" https://example.org/a b.png ", "https://example.org/a%20b.png"],
  ["https://example.org/a.png?1603", "https://example.org/a.png?1603"],
  ["ipfs://QmNa8mQkrNKp1WEEeGjFezDmDeodkWRevGFN8JCV7b4Xir", "https://ipfs.io/ipfs/QmNa8mQkrNKp1WEEeGjFezDmDeodkWRevGFN8JCV7b4Xir"],
  ["IPFS://QmNa8m/logo.svg", "https://ipfs.io/ipfs/QmNa8m/logo.svg"],
  ["ipfs://ipfs/QmNa8m", "https://ipfs.io/ipfs/QmNa8m"],
  ["ipns://tokens.uniswap.org", "https://ipfs.io/ipns/tokens.uniswap.org"],
  ["ipfs://Qm/../../admin", undefined],
  ["http://example.org/a.png", undefined],
  ["javascript:alert(1)", undefined],
  ["data:image/svg+xml,<svg/>", undefined],
  ["https://user:pass@example.org/a.png", undefined],
  ["//example.org/a.png", undefined],
  ["not a url", undefined],
  ["", undefined],
  [`https://example.org/${"a".repeat(2048)}`, undefined],
])("the logo %j is shown as %j", (address, url) => {
  expect(logoUrl(address)).toBe(url);
});

test.each([
  ["http://127.0.0.1:9000/logos/a.svg", "http://127.0.0.1:9000/logos/a.svg"],
  ["http://127.0.0.1:9001/logos/a.svg", undefined],
  ["https://example.org/a.png", "https://example.org/a.png"],
  ["http://user:pass@127.0.0.1:9000/a.svg", undefined],
])("of a list that came from http://127.0.0.1:9000 the logo %j is shown as %j", (address, url) => {
  expect(logoUrl(address, "http://127.0.0.1:9000")).toBe(url);
});
