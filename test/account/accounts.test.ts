import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { accountNameOf, createAccount, requireEmail } from "../../src/account/accounts.ts";
import { Failure } from "../../src/problem/failure.ts";
import { invalidArgument } from "../../src/problem/problem.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import type { Account } from "../../src/store/records.ts";
import type { AdminStore } from "../../src/store/store.ts";
import { createCountingRandomness } from "../fixtures/counting-randomness.ts";

const refusal = new Failure(invalidArgument([{ field: "email", description: "must be an e-mail address like name@example.com" }]));

describe("an address to sign in with", () => {
  test.for([
    { email: "ada@example.com", taken: "ada@example.com" },
    { email: "Ada.Lovelace@Example.COM", taken: "ada.lovelace@example.com" },
    { email: "o'hara+news@mail.example.co.uk", taken: "o'hara+news@mail.example.co.uk" },
    { email: "_-a-_@x-1.example", taken: "_-a-_@x-1.example" },
    { email: "+@1.example", taken: "+@1.example" },
    { email: "a@xn--bcher-kva.example", taken: "a@xn--bcher-kva.example" },
    { email: "ada@xn--80a1acny.XN--P1AI", taken: "ada@xn--80a1acny.xn--p1ai" },
    { email: "ada@почта.рф", taken: "ada@xn--80a1acny.xn--p1ai" },
    { email: "ada@Bücher.example", taken: "ada@xn--bcher-kva.example" },
    { email: "a&b@example.com", taken: "a&b@example.com" },
    { email: "S=Ops/O=Acme@example.com", taken: "s=ops/o=acme@example.com" },
    { email: "!#$%&'*+/=?^_`{|}~-@example.com", taken: "!#$%&'*+/=?^_`{|}~-@example.com" },
    { email: "ada@example.c0m", taken: "ada@example.c0m" },
    { email: `${"a".repeat(64)}@${"b".repeat(63)}.example`, taken: `${"a".repeat(64)}@${"b".repeat(63)}.example` },
  ])("may be $email", ({ email, taken }) => {
    expect(requireEmail(email)).toBe(taken);
  });

  test.for([
    "",
    "@",
    "ada",
    "ada@",
    "@example.com",
    "ada@example",
    "ada@localhost",
    "ada@example.c",
    "ada@.example.com",
    "ada@example..com",
    "ada@-example.com",
    "ada@example.com.",
    "ada@[203.0.113.9]",
    "ada@203.0.113.9",
    "ada@b@example.com",
    ".ada@example.com",
    "ada.@example.com",
    "ada..b@example.com",
    "ada b@example.com",
    '"ada"@example.com',
    "<ada@example.com>",
    "ada@example.com\n",
    "\nada@example.com",
    "ada\u0000@example.com",
    "ada@example.com,bob@example.com",
    "ädä@example.com",
    "ada@ä.com:25",
    "ada@ä.com/x",
    "ada@ä.com#x",
    "ada@ä.com\n",
    "ada@ä%2ecom",
    `ada@${"ä".repeat(70)}.com`,
    "ada@example.123",
    "ada@example-.com",
    `${"a".repeat(65)}@example.com`,
    `ada@${"b".repeat(64)}.example`,
    `ada@${"b.".repeat(125)}example`,
    "ada@①.①.①.①",
    // Letters that become ASCII in lower or upper case.
    "\u212ada@example.com",
  ])("is not %j", (email) => {
    expect(() => requireEmail(email)).toThrow(refusal);
  });

  // Inputs on which a regular expression that backtracks takes forever.
  test.for(
    [254, 100_000].flatMap((length) =>
      ["a", "a.", "-", "'", "a@", "a@a", "a@a.", "a@a-", "a@a-a."].map((piece) => ({
        piece,
        length,
        email: `${piece.slice(0, piece.indexOf("@") + 1)}${piece
          .slice(piece.indexOf("@") + 1)
          .repeat(length)
          .slice(0, length)}!`,
      })),
    ),
  )("is refused without backtracking when $piece is repeated to $length characters", ({ email }) => {
    expect(() => requireEmail(email)).toThrow(refusal);
  });
});

describe("the name of a customer's account", () => {
  test.for([
    { email: "ada@example.com", name: "ada-01010101" },
    { email: "ada.l_o-v@example.com", name: "ada.l_o-v-01010101" },
    { email: "ada+news@example.com", name: "adanews-01010101" },
    { email: "o'hara@example.com", name: "ohara-01010101" },
    { email: "_-.ada@example.com", name: "ada-01010101" },
    { email: "ada-_@example.com", name: "ada-_-01010101" },
    { email: "+@example.com", name: "account-01010101" },
    { email: "_@example.com", name: "account-01010101" },
    { email: `${"a".repeat(60)}@example.com`, name: `${"a".repeat(40)}-01010101` },
    { email: "00000000-0000-4000-8000@example.com", name: "00000000-0000-4000-8000-01010101" },
  ])("for $email is $name", ({ email, name }) => {
    expect(accountNameOf(email, createCountingRandomness())).toBe(name);
  });

  test("is valid, whatever the address", async () => {
    const store = {
      createAccount: (account) => Promise.resolve({ ...account, suspended: false, isOperator: false, createdAtMs: 0 }),
    } as Pick<AdminStore, "createAccount"> as AdminStore;
    const create = (name: string): Promise<Account> =>
      createAccount({ store, randomness: systemRandomness }, { name, email: null });
    const own = fc.oneof(
      fc.stringMatching(/^[\w'+.-]{0,64}$/),
      fc.stringMatching(/^[0-9a-f-]{0,40}$/),
      fc.string({ unit: "binary" }),
    );
    await fc.assert(
      fc.asyncProperty(own, async (text) => {
        const name = accountNameOf(`${text}@example.com`, systemRandomness);
        expect((await create(name)).name).toBe(name);
        expect(name.length).toBeLessThanOrEqual(49);
      }),
    );
  });
});
