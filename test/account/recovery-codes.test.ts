// Recovery codes as they are generated and as people type them.
import { expect, test } from "vitest";
import { generateRecoveryCodes, plainRecoveryCode } from "../../src/account/recovery-codes.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";

test("there are ten, all different, of 80 random bits each", () => {
  const codes = generateRecoveryCodes(systemRandomness);
  expect(codes.filter((code) => /^([0-9abcdefghjkmnpqrstvwxyz]{4}-){3}[0-9abcdefghjkmnpqrstvwxyz]{4}$/.test(code))).toEqual(codes);
  expect(new Set([...codes, ...generateRecoveryCodes(systemRandomness)]).size).toBe(20);
});

test.for([
  ["k4v7-0q2m-x9ta-83hd", "k4v70q2mx9ta83hd"],
  ["K4V70Q2MX9TA83HD", "k4v70q2mx9ta83hd"],
  [" k4v7 Oq2m x9ta 83hd ", "k4v70q2mx9ta83hd"],
  ["lI11-1111-1111-1111", "1111111111111111"],
  ["k4v7-0q2m-x9ta-83h", undefined],
  ["k4v7-0q2m-x9ta-83hdd", undefined],
  ["u4v7-0q2m-x9ta-83hd", undefined],
  ["123456", undefined],
  ["", undefined],
])("%j is read as %j", ([typed, plain]) => {
  expect(plainRecoveryCode(typed ?? "")).toBe(plain);
});
