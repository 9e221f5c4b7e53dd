// Passwords that are long enough but among the first that attackers try, and good ones.
import { expect, test } from "vitest";
import { requireGoodPassword } from "../../src/account/password-rules.ts";
import type { Failure } from "../../src/problem/failure.ts";

const BLANK = "must not be blank";
const COMMON =
  "is too easy to guess: it consists of common passwords, simple patterns or words from the e-mail address; use several unrelated words instead";
const ADDRESS = "must not be the e-mail address, or the part before its @";

test.each([
  [" ".repeat(12), BLANK],
  ["\t\n\u00a0\u2003\u3000\u200b      ", BLANK],
  ["passwordpassword", COMMON],
  ["P@ssw0rd!!!!", COMMON],
  ["!!!!P@$$w0rd", COMMON],
  ["P@55w0rd2026!", COMMON],
  ["pässwört 1234", COMMON],
  ["Adm1n@123456", COMMON],
  ["Summer2026!!!", COMMON],
  ["Charlotte1990!", COMMON],
  ["1loveyou2much", COMMON],
  ["L1verpoolL1verpool1", COMMON],
  ["monkey dragon master", COMMON],
  ["correct horse", COMMON],
  ["!QAZ2wsx#EDC", COMMON],
  ["qwerty!@#$%^", COMMON],
  ["19900101-1990", COMMON],
  ["x4x4x4x4x4x4x4x4", COMMON],
  ["Qu1ntet-2026!", COMMON],
  ["Ada1815Lovelace!", COMMON],
  ["ada.lovelace was here", COMMON],
  ["love-lace-ex@mple", COMMON],
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
  ["correct horse battery sta", undefined],
  ["lady ada of the engine", undefined],
  ["пароль, которого нет", undefined],
  ["1815-12-10/1852", undefined],
  ["83052716409275", undefined],
  ["Tr0ub4dor&3xyz", undefined],
])("%j", (password, description) => {
  expect(violationsOf(password, "ada.lovelace@example.com")).toEqual(
    description === undefined ? [] : [{ field: "password", description }],
  );
});

test("checking a password of the maximum length takes bounded time, whatever it contains", () => {
  const longest = `${"a".repeat(64)}@${"b.".repeat(90)}example`;
  violationsOf("six honest dice, thrown by hand", longest);
  for (const unit of ["a", "\ufdfa", "1qaz", "p@55w0rD!1", "🔑", "4@8(369!|0$5+72"]) {
    const password = [...unit.repeat(128)].slice(0, 128).join("");
    // The fastest of several rounds, because whatever else the machine runs only adds time.
    const timesMs = Array.from({ length: 5 }, () => {
      const started = process.threadCpuUsage();
      violationsOf(password, longest);
      return process.threadCpuUsage(started).user / 1000;
    });
    // One check takes about 2 ms of this thread. The hash that follows takes 100 ms of another thread.
    expect(Math.min(...timesMs)).toBeLessThan(30);
  }
});

function violationsOf(password: string, email: string): unknown {
  try {
    requireGoodPassword("password", password, email);
    return [];
  } catch (thrown) {
    return (thrown as Failure).problem.violations;
  }
}
