import { describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { createCommandLine, nthId, printed, refused } from "./command-line.ts";

describe("quintet account", () => {
  test("create prints what was created and what to do next", async () => {
    const { run } = createCommandLine();
    expect(await run("account create acme --email ops@acme.example")).toEqual(
      printed(
        `Account acme was created with the ID ${nthId(1)}.\n` +
          "Next: `quintet subscription create acme SERVICE` and `quintet key create acme`.\n",
      ),
    );
  });

  test("create --json prints the account", async () => {
    const { run } = createCommandLine();
    const { code, out, err } = await run("account create acme --json");
    expect({ code, err, document: JSON.parse(out) }).toEqual({
      code: 0,
      err: "",
      document: {
        id: nthId(1),
        name: "acme",
        email: null,
        suspended: false,
        operator: false,
        created_at: "2026-11-21T12:00:00.000Z",
      },
    });
  });

  test.for([
    { name: "acme", exit: "conflict" as const, message: "There is already an account called acme." },
    {
      name: "Acme",
      exit: "usage" as const,
      message:
        "<name> must be 1 to 63 lower-case letters, digits, dots, dashes or underscores, begin and end with a letter or digit, and not look like an account ID",
    },
    {
      name: nthId(7),
      exit: "usage" as const,
      message:
        "<name> must be 1 to 63 lower-case letters, digits, dots, dashes or underscores, begin and end with a letter or digit, and not look like an account ID",
    },
    {
      name: "other --email ops@localhost",
      exit: "usage" as const,
      message: "--email must be an e-mail address like name@example.com",
    },
  ])("create $name is refused", async ({ name, exit, message }) => {
    const { run } = createCommandLine();
    await run("account create acme");
    expect(await run(`account create ${name}`)).toEqual(refused(exit, message));
  });

  test("list prints a table, or how to create the first account", async () => {
    const { run } = createCommandLine();
    expect(await run("account list")).toEqual(printed("There are no accounts; `quintet account create NAME` creates one.\n"));
    await run("account create zebra --email z@zebra.example");
    await run("account create acme");
    await run("account suspend zebra");
    expect(await run("account list")).toEqual(
      printed(
        [
          "NAME   STATE      EMAIL            CREATED           ID",
          "acme   active     -                2026-11-21 12:00  00000000-0000-4000-8000-000000000002",
          "zebra  suspended  z@zebra.example  2026-11-21 12:00  00000000-0000-4000-8000-000000000001",
          "",
        ].join("\n"),
      ),
    );
    expect(JSON.parse((await run("account list --json")).out)).toEqual({
      accounts: [
        { id: nthId(2), name: "acme", email: null, suspended: false, operator: false, created_at: "2026-11-21T12:00:00.000Z" },
        {
          id: nthId(1),
          name: "zebra",
          email: "z@zebra.example",
          suspended: true,
          operator: false,
          created_at: "2026-11-21T12:00:00.000Z",
        },
      ],
    });
  });

  test("show prints the account with its subscriptions and keys", async () => {
    const { run } = createCommandLine();
    await run("account create acme");
    expect((await run("account show acme")).out).toBe(
      [
        "Account: acme",
        `Id:      ${nthId(1)}`,
        "Email:   -",
        "State:   active",
        "Created: 2026-11-21 12:00 UTC",
        "",
        "No subscriptions.",
        "",
        "No keys.",
        "",
      ].join("\n"),
    );
    await run("subscription create acme radio");
    await run("subscription create acme farkle");
    await run("subscription cancel acme farkle");
    await run("key create acme");
    expect((await run(`account show ${nthId(1)}`)).out).toBe(
      [
        "Account: acme",
        `Id:      ${nthId(1)}`,
        "Email:   -",
        "State:   active",
        "Created: 2026-11-21 12:00 UTC",
        "",
        "ACCOUNT  SERVICE  PLAN  PRICE     STATE   REQUESTED  CREATED",
        "acme     radio    free  0.00 EUR  active  -          2026-11-21 12:00",
        "",
        "NAME     STATE   KEY            SERVICES  CALLS THIS MONTH  CREATED           EXPIRES  LAST USED  ID",
        "default  active  qk_live_…zICk  all       -                 2026-11-21 12:00  never    never      00000000-0000-4000-8000-000000000004",
        "",
      ].join("\n"),
    );
  });

  test("show --json prints everything in one document", async () => {
    const { run } = createCommandLine();
    await run("account create acme");
    await run("subscription create acme radio");
    const { out } = await run("account show acme --json");
    expect(JSON.parse(out)).toEqual({
      id: nthId(1),
      name: "acme",
      email: null,
      suspended: false,
      operator: false,
      created_at: "2026-11-21T12:00:00.000Z",
      subscriptions: [
        {
          id: nthId(2),
          account_id: nthId(1),
          service: "radio",
          plan: "free",
          version: "radio/free/1",
          price_minor: 0,
          currency: "EUR",
          agreed_at: "2026-11-21T12:00:00.000Z",
          requested_plan: null,
          requested_price_minor: null,
          requested_at: null,
          moves_to: null,
          moves_at: null,
          state: "active",
          created_at: "2026-11-21T12:00:00.000Z",
        },
      ],
      keys: [],
    });
  });

  test("suspend and resume print what they mean for calls", async () => {
    const { run } = createCommandLine();
    await run("account create acme");
    expect(await run("account suspend acme")).toEqual(printed("Account acme is suspended: its calls are refused from now on.\n"));
    expect(await run("account resume acme")).toEqual(printed("Account acme is active: its calls are accepted again.\n"));
  });

  test("operator makes an account's owner an operator, by any of its names, and --off undoes it", async () => {
    const { run } = createCommandLine();
    await run("account create acme --email Ops@acme.example");
    const created = printed("The owner of acme is now an operator.\n");
    expect(await run("account operator ops@ACME.example")).toEqual(created);
    expect(await run("account operator acme")).toEqual(created);
    expect((await run("account show acme")).out).toContain("State:   active, operator\n");
    expect(JSON.parse((await run("account show acme --json")).out)).toMatchObject({ suspended: false, operator: true });
    await run("account suspend acme");
    expect((await run("account list")).out).toContain("acme  suspended, operator  ops@acme.example");
    expect(await run(`account operator ${nthId(1)} --off`)).toEqual(printed("The owner of acme is no longer an operator.\n"));
    expect(JSON.parse((await run("account operator acme --off --json")).out)).toEqual({
      id: nthId(1),
      name: "acme",
      email: "ops@acme.example",
      suspended: true,
      operator: false,
      created_at: "2026-11-21T12:00:00.000Z",
    });
    const { entries } = JSON.parse((await run("audit acme --json")).out);
    expect(entries.slice(0, 4).map(({ action }: { action: string }) => action)).toEqual([
      "account.dismiss_operator",
      "account.dismiss_operator",
      "account.suspend",
      "account.appoint_operator",
    ]);
  });

  test("operator refuses an account without an owner who can sign in", async () => {
    const { run } = createCommandLine();
    await run("account create acme");
    expect(await run("account operator acme")).toEqual(
      refused("conflict", "The account acme has no e-mail address to sign in with."),
    );
    expect(await run("account operator ada@example.com")).toEqual(
      refused("notFound", "There is no account called ada@example.com; `quintet account list` shows them."),
    );
  });

  test("two-factor says whether signing in requires a code, and --off turns that off, which is noted", async () => {
    const { run, dataDir, clock } = createCommandLine();
    await run("account create acme --email ops@acme.example");
    await run("account password acme");
    expect(await run("account two-factor acme")).toEqual(printed("The owner of acme signs in with the password alone.\n"));
    expect(await run("account two-factor acme --off")).toEqual(
      refused("conflict", "The account acme has neither two-factor authentication nor passkeys."),
    );
    const store = await openStore({ dataDir, clock, role: "command" });
    const { id = "" } = (await store.findAccount("acme")) ?? {};
    await store.prepareTwoFactor(id, "secret");
    await store.turnOnTwoFactor(id, { secret: "secret", step: 1, recoveryHashes: ["c-1", "c-2"], currentTokenHash: "" });
    await store.addPasskey({
      ...{ id: "p-1", accountId: id, credentialId: "c-1", publicKey: "key", counter: 0, transports: [], name: "Laptop" },
    });
    await store.close();
    expect(await run("account two-factor OPS@acme.example")).toEqual(
      printed(
        "The owner of acme has signed in with a code since 2026-11-21 12:00 UTC, and has 2 recovery codes left. They can also sign in with a passkey.\n",
      ),
    );
    expect(JSON.parse((await run("account two-factor acme --json")).out)).toEqual({
      account: "acme",
      two_factor_since: "2026-11-21T12:00:00.000Z",
      recovery_codes_left: 2,
      passkeys: 1,
    });
    expect(await run("account password acme")).toMatchObject({ code: 0 });
    expect((await run("account two-factor acme")).out).toContain("with a code since");
    expect(await run("account two-factor acme --off")).toEqual(
      printed(
        "The owner of acme signs in with the password alone from now on. Their passkeys are removed, and their sessions have ended.\n",
      ),
    );
    expect(JSON.parse((await run("account two-factor acme --json")).out)).toEqual({
      account: "acme",
      two_factor_since: null,
      recovery_codes_left: null,
      passkeys: 0,
    });
    const [last] = JSON.parse((await run("audit acme --json")).out).entries;
    expect(last).toMatchObject({ action: "account.turn_off_two_factor", actor: { name: "alice" } });
  });

  test("password generates one for the owner, a different one each time", async () => {
    const { run } = createCommandLine();
    await run("account create acme --email Ops@acme.example");
    const first = await run("account password acme");
    const [, password] = /password (\S+)$/m.exec(first.out) ?? [];
    expect(password).toMatch(/^[A-Za-z0-9_-]{20}$/);
    expect(first).toEqual(
      printed(
        `The owner of acme signs in as ops@acme.example with the password ${password}\n` +
          "The password is shown only now. Their sessions have ended, and links that were mailed to them no longer work.\n",
      ),
    );
    const { code, out, err } = await run(`account password ${nthId(1)} --json`);
    const document = JSON.parse(out);
    expect({ code, err, document }).toEqual({
      code: 0,
      err: "",
      document: { account: "acme", email: "ops@acme.example", password: expect.stringMatching(/^[A-Za-z0-9_-]{20}$/) },
    });
    expect(document.password).not.toBe(password);
  });

  test.for([
    { create: "acme", exit: "conflict" as const, message: "The account acme has no e-mail address to sign in with." },
    {
      create: "acme --email OPS@first.example",
      exit: "notFound" as const,
      message: "There is no account called acme; `quintet account list` shows them.",
    },
  ])("password is refused after create $create", async ({ create, exit, message }) => {
    const { run } = createCommandLine();
    await run("account create first --email ops@first.example");
    await run("account password first");
    await run(`account create ${create}`);
    expect(await run("account password acme")).toEqual(refused(exit, message));
  });

  test("delete prints what it would do, and does it only with --yes", async () => {
    const { run } = createCommandLine();
    await run("account create acme --email ops@acme.example");
    await run("key create acme");
    await run("subscription create acme radio");
    expect(await run("account delete acme")).toEqual(
      refused("usage", "This permanently deletes acme, with 1 keys and 1 active subscriptions. Add --yes to do it."),
    );
    expect((await run("account show acme")).code).toBe(0);
    expect(await run("account delete acme --yes")).toEqual(
      printed(
        "Account acme is deleted: its keys are refused from now on, and its names, addresses and usage are removed.\n" +
          `What is left is anonymous and has the ID ${nthId(1)}.\n`,
      ),
    );
    expect(await run("account list")).toEqual(printed("There are no accounts; `quintet account create NAME` creates one.\n"));
    await run("account create acme --email ops@acme.example");
    const { out } = await run("account delete acme --yes --json");
    expect(JSON.parse(out)).toEqual({ id: expect.stringMatching(/^00000000-0000-4000-8000-/), deleted: true });
  });

  test.for(["show", "suspend", "resume", "password", "operator", "two-factor", "delete"])(
    "%s refuses an account that does not exist",
    async (verb) => {
      const { run } = createCommandLine();
      expect(await run(`account ${verb} acme`)).toEqual(
        refused("notFound", "There is no account called acme; `quintet account list` shows them."),
      );
    },
  );
});

test("account list prints a list that is longer than a page as one table and as one document", async () => {
  const { run, dataDir, clock } = createCommandLine();
  await run("account create zz");
  const store = await openStore({ dataDir, clock, role: "command" });
  const names = Array.from({ length: 2001 }, (_, index) => `customer-${String(index).padStart(5, "0")}`);
  for (const name of names) {
    await store.createAccount({ id: `id-${name}`, name, email: name.endsWith("5") ? `${name}@example.com` : null });
  }
  await store.close();
  const { out: document } = await run("account list --json");
  const { accounts } = JSON.parse(document) as { accounts: { name: string }[] };
  expect(accounts.map(({ name }) => name)).toEqual([...names, "zz"]);
  expect(document).toBe(`${JSON.stringify({ accounts }, null, 2)}\n`);
  const lines = (await run("account list")).out.split("\n");
  expect([lines.length, lines.filter((line) => line.startsWith("NAME")).length]).toEqual([2004, 1]);
  const places = lines.slice(0, -1).map((line) => /(ID|id-\S+|[0-9a-f-]{36})$/.exec(line)?.index);
  expect(new Set(places).size).toBe(1);
});
