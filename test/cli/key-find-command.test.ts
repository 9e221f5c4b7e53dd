import { describe, expect, test } from "vitest";
import { generateKey } from "../../src/guard/keys/key.ts";
import { createCountingRandomness } from "../fixtures/counting-randomness.ts";
import { createCommandLine, nthId, refused } from "./command-line.ts";

async function withKey() {
  const commandLine = createCommandLine();
  await commandLine.run("account create acme --email ops@acme.example");
  const { secret } = JSON.parse((await commandLine.run("key create acme --json")).out) as { secret: string };
  return { ...commandLine, secret };
}

// Well-formed, but nobody's key.
const STRANGE = generateKey({
  bytes: (count) =>
    createCountingRandomness()
      .bytes(count)
      .map((byte) => byte ^ 0x55),
}).secret;

describe("quintet key find", () => {
  test("prints whose key was typed, and does not repeat it", async () => {
    const { run, secret } = await withKey();
    await run("account suspend acme");
    const found = await run("key find", {}, ` ${secret} \n`);
    expect(found.code).toBe(0);
    expect(found.out).toContain("Account:   acme (suspended, ops@acme.example)\n");
    expect(found.out).toContain(`Id:        ${nthId(2)}\n`);
    expect(found.out).not.toContain(secret);
    const { keys } = JSON.parse((await run("key find --json", {}, secret)).out);
    expect(keys.map((key: { id: string; account: { name: string } }) => [key.id, key.account.name])).toEqual([[nthId(2), "acme"]]);
  });

  test("finds every key with these last four characters", async () => {
    const { run, secret } = await withKey();
    const one = await run(`key find --last-four ${secret.slice(-4)}`);
    expect(one.out).toContain("Account:   acme (active, ops@acme.example)\n");
    expect(await run("key find --last-four ????")).toMatchObject({ code: 2 });
    expect(await run("key find --last-four none")).toEqual(
      refused("notFound", "No key ends in none. Upper and lower case differ."),
    );
  });

  test.for([
    {
      input: "",
      exit: "usage" as const,
      message: "No key was given. Type it when prompted, pipe it in, or give its last four characters with --last-four.",
    },
    {
      input: "qk_live_secret",
      exit: "usage" as const,
      message:
        "This is not an API key, or it is mistyped: a key is qk_live_ or qk_test_ followed by 38 or 40 letters and digits, the last 6 of which are a checksum.",
    },
    {
      input: STRANGE,
      exit: "notFound" as const,
      message: "Nobody has this key: it is well-formed, but was not created here, or it ended long ago and was deleted.",
    },
  ])("refuses $message", async ({ input, exit, message }) => {
    const { run } = await withKey();
    expect(await run("key find", {}, input)).toEqual(refused(exit, message));
  });
});
