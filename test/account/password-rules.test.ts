// Passwords that are long enough and still the first that are tried; and good ones, which are nobody's business.
import { expect, test } from "vitest";
import { requireGoodPassword } from "../../src/account/password-rules.ts";
import type { Failure } from "../../src/problem/failure.ts";

const BLANK = "must not be blank";
const COMMON =
  "is one of the most common passwords, or a plain pattern; several words that have nothing to do with each other make a good one";
const ADDRESS = "must not be the e-mail address, or what stands before its @";

test.each([
  [" ".repeat(12), BLANK],
  ["\t\n\u00a0\u2003\u3000\u200b      ", BLANK],
  ["passwordpassword", COMMON],
  ["Password1234", COMMON],
  ["PASSWORD2026!", COMMON],
  ["!!Password!2026!!", COMMON],
  ["ｐａｓｓｗｏｒｄ１２３４", COMMON],
  ["pass word 1234", COMMON],
  ["letmeinplease", COMMON],
  ["qwertyuiop123", COMMON],
  ["1q2w3e4r5t6y", COMMON],
  ["Administrator1", COMMON],
  ["correct horse battery staple", COMMON],
  ["aaaaaaaaaaaa", COMMON],
  ["🔑".repeat(12), COMMON],
  ["abcabcabcabc", COMMON],
  ["123412341234", COMMON],
  ["123456789012", COMMON],
  ["987654321098", COMMON],
  ["abcdefghijklm", COMMON],
  ["zyxwvutsrqponm", COMMON],
  ["qwertyuiopqwer", COMMON],
  ["ada.lovelace@example.com", ADDRESS],
  ["Ada.Lovelace@Example.COM", ADDRESS],
  ["ADA.LOVELACE", ADDRESS],
  ["ada.lovelaceada.lovelace", ADDRESS],
  ["four loaded dice", undefined],
  ["correct horse battery", undefined],
  ["another long password", undefined],
  ["six honest dice, thrown by hand", undefined],
  ["8f3kq0zv1mnp", undefined],
  ["ada.lovelace was here", undefined],
  ["пароль, которого нет", undefined],
  ["1815-12-10/1852", undefined],
])("%j", (password, description) => {
  let seen: unknown;
  try {
    requireGoodPassword("password", password, "ada.lovelace@example.com");
  } catch (thrown) {
    seen = (thrown as Failure).problem.violations;
  }
  expect(seen).toEqual(description === undefined ? undefined : [{ field: "password", description }]);
});
