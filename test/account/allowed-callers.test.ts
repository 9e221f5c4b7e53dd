// Which callers a customer may allow for a key: every wrong entry has one exact message.
import { describe, expect, test } from "vitest";
import { callerFaults, canonicalCallers } from "../../src/account/allowed-callers.ts";

const neither = (text: string): string =>
  `must be addresses or networks such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32; ${text} is neither`;
const noOrigin = (text: string): string =>
  `must be origins of at most 100 characters such as https://app.example.com; ${text} is not one`;
const twenty = Array.from({ length: 20 }, (_, index) => `10.0.0.${index}`);
const ten = Array.from({ length: 10 }, (_, index) => `https://page-${index}.example`);

test.for<{ list: readonly string[]; fault?: string }>([
  { list: [] },
  { list: ["203.0.113.7", "10.0.0.0/8", "2001:db8::/32", "::1"] },
  { list: twenty },
  { list: [...twenty, "10.0.1.0"], fault: "must have at most 20 entries, not 21" },
  { list: ["10.0.0.1", "example.com"], fault: neither('"example.com"') },
  { list: ["10.0.0.0/33"], fault: neither('"10.0.0.0/33"') },
  { list: [""], fault: neither('""') },
  { list: ["x".repeat(200)], fault: neither(`"${"x".repeat(100)}"`) },
  {
    list: ["10.0.0.1/8"],
    fault: 'has "10.0.0.1/8", which is an address inside a network; write 10.0.0.0/8 for the network',
  },
  {
    list: ["2001:db8::1/32"],
    fault: 'has "2001:db8::1/32", which is an address inside a network; write 2001:db8::/32 for the network',
  },
  { list: ["0.0.0.0/0"], fault: 'has "0.0.0.0/0", which covers every address; to allow every address, leave the list empty' },
  { list: ["::/0"], fault: 'has "::/0", which covers every address; to allow every address, leave the list empty' },
  { list: ["::1", "0:0:0:0:0:0:0:1"], fault: 'must not contain "0:0:0:0:0:0:0:1" twice' },
])("the allowed addresses $list have the fault $fault", ({ list, fault }) => {
  expect(callerFaults({ allowedAddresses: list })).toEqual(
    fault === undefined ? [] : [{ field: "allowed_addresses", description: fault }],
  );
});

test.for<{ list: readonly string[]; fault?: string }>([
  { list: [] },
  { list: ["https://app.example.com", "http://localhost:3000", "capacitor://localhost"] },
  { list: ten },
  { list: [...ten, "https://page.example"], fault: "must have at most 10 entries, not 11" },
  {
    list: ["https://App.example.com/login"],
    fault: 'must be origins as browsers send them; write "https://App.example.com/login" as https://app.example.com',
  },
  { list: ["app.example.com"], fault: noOrigin('"app.example.com"') },
  { list: ["*"], fault: noOrigin('"*"') },
  { list: ["https://*.example.com"], fault: noOrigin('"https://*.example.com"') },
  { list: ["null"], fault: noOrigin('"null"') },
  { list: [`https://${"a".repeat(101)}.example`], fault: noOrigin(`"https://${"a".repeat(92)}"`) },
  { list: ["https://a.example", "https://a.example"], fault: 'must not contain "https://a.example" twice' },
])("the allowed origins $list have the fault $fault", ({ list, fault }) => {
  expect(callerFaults({ allowedOrigins: list })).toEqual(
    fault === undefined ? [] : [{ field: "allowed_origins", description: fault }],
  );
});

describe("addresses are kept in their canonical form", () => {
  test("if they are given", () => {
    const given = { allowedAddresses: ["203.0.113.7/32", "2001:DB8:0:0::/48", "::ffff:10.0.0.1"], allowedOrigins: [] };
    const allowedAddresses = ["203.0.113.7", "2001:db8::/48", "10.0.0.1"];
    expect(canonicalCallers(given)).toEqual({ allowedAddresses, allowedOrigins: [] });
  });

  test("and otherwise left out", () => {
    expect(canonicalCallers({ name: "web" } as object)).toEqual({ name: "web" });
  });
});
