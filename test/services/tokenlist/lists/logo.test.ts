import { expect, test } from "vitest";
import { logoOf } from "../../../../src/services/tokenlist/lists/logo.ts";

const cid = "QmNa8mQkrNKp1WEEeGjFezDmDeodkWRevGFN8JCV7b4Xir";

test.each([
  ["https://example.org/a.png", { logo: "https://example.org/a.png" }],
  [" https://example.org/a b.png ", { logo: "https://example.org/a%20b.png" }],
  ["https://example.org/a.png?1603", { logo: "https://example.org/a.png?1603" }],
  [`ipfs://${cid}`, { logoIpfs: `ipfs://${cid}` }],
  ["IPFS://QmNa8m/logo.svg", { logoIpfs: "ipfs://QmNa8m/logo.svg" }],
  ["ipfs://ipfs/QmNa8m", { logoIpfs: "ipfs://QmNa8m" }],
  ["ipns://tokens.uniswap.org", { logoIpfs: "ipns://tokens.uniswap.org" }],
  [`https://ipfs.io/ipfs/${cid}`, { logoIpfs: `ipfs://${cid}` }],
  [`https://gateway.ipfs.io/ipfs/${cid}/a.png`, { logoIpfs: `ipfs://${cid}/a.png` }],
  [`https://cloudflare-ipfs.com/ipfs/${cid}?x=1`, { logoIpfs: `ipfs://${cid}` }],
  ["https://dweb.link/ipns/tokens.uniswap.org", { logoIpfs: "ipns://tokens.uniswap.org" }],
  ["https://bafyabc.ipfs.dweb.link/a/b.svg", { logoIpfs: "ipfs://bafyabc/a/b.svg" }],
  ["https://bafyabc.ipfs.w3s.link/", { logoIpfs: "ipfs://bafyabc" }],
  ["https://bafyabc.ipfs.dweb.link", { logoIpfs: "ipfs://bafyabc" }],
  ["https://ipfs.io/images/logo.svg", { logo: "https://ipfs.io/images/logo.svg" }],
  ["https://example.org/ipfs/Qm", { logo: "https://example.org/ipfs/Qm" }],
  ["ipfs://Qm/../../admin", {}],
  ["https://ipfs.io/ipfs/Qm/../../admin", {}],
  ["http://example.org/a.png", {}],
  ["javascript:alert(1)", {}],
  ["data:image/svg+xml,<svg/>", {}],
  ["https://user:pass@example.org/a.png", {}],
  ["//example.org/a.png", {}],
  ["not a url", {}],
  ["", {}],
  [`https://example.org/${"a".repeat(2048)}`, {}],
])("the logo %j is given as %j", (address, logo) => {
  expect(logoOf(address)).toEqual(logo);
});

test.each([
  ["http://127.0.0.1:9000/logos/a.svg", { logo: "http://127.0.0.1:9000/logos/a.svg" }],
  ["http://127.0.0.1:9001/logos/a.svg", {}],
  ["https://example.org/a.png", { logo: "https://example.org/a.png" }],
  ["http://user:pass@127.0.0.1:9000/a.svg", {}],
])("of a list that came from http://127.0.0.1:9000 the logo %j is given as %j", (address, logo) => {
  expect(logoOf(address, { list: "http://127.0.0.1:9000" })).toEqual(logo);
});

test.each([
  ["https://gateway.example.org", "ipfs://Qm/a.png", "https://gateway.example.org/ipfs/Qm/a.png"],
  ["https://gateway.example.org/base/", "https://ipfs.io/ipns/example.org", "https://gateway.example.org/base/ipns/example.org"],
])("with the gateway %s the logo %j has the URL %s, too", (ipfsGateway, address, logo) => {
  expect(logoOf(address, { ipfsGateway })).toEqual({ logo, logoIpfs: expect.stringMatching(/^ip[fn]s:/) });
});
