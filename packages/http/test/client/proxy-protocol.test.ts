import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readProxyHeaderStart, readProxySource } from "../../src/client/proxy-header-reader.ts";
import { proxyHeader } from "./proxy-header.ts";

function sourceOf(header: Buffer): string | undefined {
  const start = readProxyHeaderStart(header.subarray(0, 16));
  expect(header.length).toBe(16 + start.restBytes);
  return readProxySource(start, header.subarray(16));
}

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(" ", ""), "hex");
const SIGNATURE = "0d0a0d0a000d0a515549540a";
const V4 = "cb007109 0a000001 c000 01bb";

describe("a PROXY protocol header, version 2", () => {
  test.for<[what: string, header: Buffer, source: string | undefined]>([
    ["of a caller over IPv4", bytes(`${SIGNATURE} 21 11 000c ${V4}`), "203.0.113.9"],
    [
      "of a caller over IPv6",
      bytes(`${SIGNATURE} 21 21 0024 20010db8000000000000000000000009 fd000000000000000000000000000001 c000 01bb`),
      "2001:db8::9",
    ],
    [
      "of a caller over IPv4, from a balancer that listens on IPv6",
      bytes(`${SIGNATURE} 21 21 0024 00000000000000000000ffffcb007109 fd000000000000000000000000000001 c000 01bb`),
      "203.0.113.9",
    ],
    ["with a balancer's TLVs", bytes(`${SIGNATURE} 21 11 0016 ${V4} ea 0004 01020304 04 0000`), "203.0.113.9"],
    // PP2_TYPE_SSL with PP2_SUBTYPE_SSL_CN: a common name does not identify anyone.
    [
      "with a certificate's common name",
      bytes(`${SIGNATURE} 21 11 001b ${V4} 20 000c 07 00000000 22 0004 726f6f74`),
      "203.0.113.9",
    ],
    ["of the balancer itself", bytes(`${SIGNATURE} 20 00 0000`), undefined],
    ["of the balancer itself, with addresses, which are ignored", bytes(`${SIGNATURE} 20 11 000c ${V4}`), undefined],
    ["of a caller of an unknown kind", bytes(`${SIGNATURE} 21 00 0000`), undefined],
    ["of a caller on a Unix socket", Buffer.concat([bytes(`${SIGNATURE} 21 31 00d8`), Buffer.alloc(216)]), undefined],
  ])("%s", ([, header, source]) => {
    expect(sourceOf(header)).toBe(source);
  });

  const notOne = "the connection does not begin with a header of the PROXY protocol, version 2";
  test.for<[what: string, header: Buffer, message: string]>([
    ["of version 1", Buffer.from("PROXY TCP4 203.0.113.9 10.0.0.1 49152 443\r\n"), notOne],
    ["that is not a header", Buffer.from("GET / HTTP/1.1\r\nhost: a\r\n\r\n"), notOne],
    ["with another signature", bytes("0d0a0d0a000d0a515549540b 21 11 000c"), notOne],
    ["of version 3", bytes(`${SIGNATURE} 31 11 000c`), "the PROXY protocol header has an unknown version and command (0x31)"],
    [
      "with an unknown command",
      bytes(`${SIGNATURE} 22 11 000c`),
      "the PROXY protocol header has an unknown version and command (0x22)",
    ],
    ["with an unknown family", bytes(`${SIGNATURE} 21 41 000c`), "the PROXY protocol header has an unknown address family (0x41)"],
    [
      "with an unknown transport",
      bytes(`${SIGNATURE} 21 13 000c`),
      "the PROXY protocol header has an unknown address family (0x13)",
    ],
    ["that is too short for its addresses", bytes(`${SIGNATURE} 21 11 000b`), "the PROXY protocol header has a wrong length (11)"],
    ["that is too long", bytes(`${SIGNATURE} 21 11 1001`), "the PROXY protocol header has a wrong length (4097)"],
    ["whose TLV header is cut short", bytes(`${SIGNATURE} 21 11 000e ${V4} 0400`), "the PROXY protocol header ends within a TLV"],
    ["whose TLV is cut short", bytes(`${SIGNATURE} 21 11 0010 ${V4} 04 0002 00`), "the PROXY protocol header ends within a TLV"],
  ])("%s is refused", ([, header, message]) => {
    expect(() => sourceOf(header)).toThrow(message);
  });

  test("contains the address it was written for", () => {
    const tlvs = fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 5 });
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), tlvs, (address, added) => {
        const canonical = address.includes(":") ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
        expect(sourceOf(proxyHeader(address, added))).toBe(canonical);
      }),
    );
  });

  test("of random bytes is either parsed or refused with an Error", () => {
    // As long as two addresses and two ports, or any length.
    const rest = fc.oneof(fc.uint8Array({ minLength: 12, maxLength: 12 }), fc.uint8Array({ maxLength: 300 }));
    // Version 2 over TCP with an IPv4 address, which often parses, or anything.
    const anyHead = fc.oneof(fc.constant(Uint8Array.of(0x21, 0x11, 0, 0)), fc.uint8Array({ minLength: 4, maxLength: 4 }));
    fc.assert(
      fc.property(anyHead, rest, (head, added) => {
        const start = Buffer.concat([bytes(SIGNATURE), head]);
        start.writeUInt16BE(added.length, 14);
        try {
          expect(["string", "undefined"]).toContain(typeof sourceOf(Buffer.concat([start, added])));
        } catch (thrown) {
          expect((thrown as Error).message).toMatch(/PROXY protocol/);
        }
      }),
    );
  });
});
