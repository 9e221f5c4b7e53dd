import { scryptSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createPasswords } from "../../src/account/passwords.ts";
import { tooManyAttempts } from "../../src/account/refusals.ts";
import { Failure } from "../../src/problem/failure.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { createCountingRandomness } from "../fixtures/counting-randomness.ts";

const salt = Buffer.alloc(16, 1);

// A hash with another cost, 2^costLog2.
function hashAt(costLog2: number, password: string): string {
  const key = scryptSync(password, salt, 32, { N: 2 ** costLog2, r: 8, p: 1, maxmem: 2 ** 27 });
  return ["scrypt", costLog2, 8, 1, salt.toString("base64url"), key.toString("base64url")].join(":");
}

test("a hash says how it was made", async () => {
  const key = scryptSync("correct horse", salt, 32, { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 27 });
  const hash = await createPasswords(createCountingRandomness()).hash("correct horse");
  expect(hash).toBe(`scrypt:15:8:3:${salt.toString("base64url")}:${key.toString("base64url")}`);
});

test("a hash is different each time, and matches each time", async () => {
  const passwords = createPasswords(systemRandomness);
  const [first, second] = [await passwords.hash("correct horse"), await passwords.hash("correct horse")];
  expect(first).not.toBe(second);
  expect([await passwords.matches("correct horse", first), await passwords.matches("correct horse", second)]).toEqual([true, true]);
});

describe("a password matches a hash", () => {
  const { matches } = createPasswords(systemRandomness);
  test.for([
    { what: "of itself", password: "correct horse", hashed: "correct horse", isMatch: true },
    { what: "of another", password: "correct horse", hashed: "incorrect horse", isMatch: false },
    { what: "of itself in capital letters", password: "correct horse", hashed: "Correct Horse", isMatch: false },
    { what: "of its beginning", password: "correct horse", hashed: "correct", isMatch: false },
    { what: "of what a blank follows", password: "correct horse", hashed: "correct horse ", isMatch: false },
    { what: "of nothing", password: "correct horse", hashed: "", isMatch: false },
    { what: "of what looks the same", password: "cafe\u0301 ﬁ", hashed: "café fi", isMatch: true },
    { what: "of 128 wide characters", password: "🔑".repeat(128), hashed: "🔑".repeat(128), isMatch: true },
    { what: "of 127 wide characters", password: "🔑".repeat(128), hashed: "🔑".repeat(127), isMatch: false },
    { what: "of every kind of character", password: " \u0000\t\n'\"\\%;--<", hashed: " \u0000\t\n'\"\\%;--<", isMatch: true },
  ])("$what: $isMatch", async ({ password, hashed, isMatch }) => {
    expect(await matches(password, hashAt(4, hashed))).toBe(isMatch);
  });

  test("of any cost", async () => {
    const costs = [4, 10, 15];
    expect(await Promise.all(costs.map((cost) => matches("correct horse", hashAt(cost, "correct horse"))))).toEqual(
      costs.map(() => true),
    );
  });

  test("but never when there is no hash", async () => {
    expect([await matches("", undefined), await matches("correct horse", undefined)]).toEqual([false, false]);
  });
});

describe("of callers who arrive at the same time", () => {
  test("two are running, 20 wait in line, and the others are refused", async () => {
    const { matches, hash } = createPasswords(systemRandomness);
    const cheap = hashAt(4, "right");
    const refused = (requested: Promise<unknown>): Promise<void> =>
      expect(requested).rejects.toThrow(new Failure(tooManyAttempts(3000)));
    for (const _ of [1, 2]) {
      const tried = Array.from({ length: 22 }, (_, index) => matches(index === 7 ? "wrong" : "right", cheap));
      await Promise.all([refused(matches("right", cheap)), refused(hash("right"))]);
      expect(await Promise.all(tried)).toEqual(tried.map((_, index) => index !== 7));
    }
  });

  test("a caller whose work fails frees the place for the next one", async () => {
    const { matches } = createPasswords(systemRandomness);
    const failed = await Promise.allSettled(Array.from({ length: 22 }, () => matches("right", "scrypt:0:0:0::")));
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(["rejected"]));
    expect(await matches("right", hashAt(4, "right"))).toBe(true);
  });
});
