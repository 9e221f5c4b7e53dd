// The codes of authenticator apps, compared with the RFC's test vectors and with an app of our own.
import { describe, expect, test } from "vitest";
import { generateTotpSecret, totpStep, totpUri } from "../../src/account/totp.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { codeAt } from "../fixtures/authenticator.ts";

// The secret of https://www.rfc-editor.org/rfc/rfc6238#appendix-B in base32, and the last 6 of its 8 digits.
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const VECTORS = [
  [59, "287082", 1],
  [1_111_111_109, "081804", 37_037_036],
  [1_111_111_111, "050471", 37_037_037],
  [1_234_567_890, "005924", 41_152_263],
  [2_000_000_000, "279037", 66_666_666],
  [20_000_000_000, "353130", 666_666_666],
] as const;

describe("a code", () => {
  test.for(VECTORS)("of the RFC at %d s is right", ([seconds, code, step]) => {
    expect(codeAt(secret, seconds * 1000)).toBe(code);
    expect(totpStep(secret, code, seconds * 1000)).toBe(step);
  });

  test("is valid from 30 seconds before until 30 seconds after its own half minute", () => {
    const [step, startMs] = [66_666_666, 66_666_666 * 30_000];
    const at = [-30_001, -30_000, 0, 29_999, 59_999, 60_000].map((ms) => totpStep(secret, "279037", startMs + ms));
    expect(at).toEqual([undefined, step, step, step, step, undefined]);
  });

  test.for(["279038", "27903", "2790370", "", "abcdef", "２７９０３７", "-79037"])("%j is wrong", (code) => {
    expect(totpStep(secret, code, 2_000_000_000_000)).toBeUndefined();
  });
});

test("a secret has 160 random bits, and its URI is what apps expect", () => {
  const drawn = generateTotpSecret(systemRandomness);
  expect(drawn).toMatch(/^[A-Z2-7]{32}$/);
  expect(generateTotpSecret(systemRandomness)).not.toBe(drawn);
  const nowMs = Date.UTC(2026, 10, 24);
  expect(totpStep(drawn, codeAt(drawn, nowMs), nowMs)).toBe(nowMs / 30_000);
  const uri = new URL(totpUri(drawn, "ada+x@example.com"));
  expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual(["otpauth:", "totp", "/Quintet:ada+x@example.com"]);
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    issuer: "Quintet",
    secret: drawn,
    algorithm: "SHA1",
    digits: "6",
    period: "30",
  });
});
