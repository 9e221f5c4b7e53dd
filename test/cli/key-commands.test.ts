import { describe, expect, test } from "vitest";
import { parseKey } from "../../src/guard/keys/key.ts";
import { openStore } from "../../src/store/open.ts";
import { newBatch } from "../fixtures/new-batch.ts";
import { type CommandLine, createCommandLine, nthId, printed, refused } from "./command-line.ts";

const dayMs = 86_400_000;

async function withAccount(): Promise<CommandLine> {
  const commandLine = createCommandLine();
  await commandLine.run("account create acme");
  return commandLine;
}

const headings =
  "NAME     STATE     KEY            SERVICES      CALLS THIS MONTH  CREATED           EXPIRES           LAST USED  ID";

describe("quintet key", () => {
  test("create prints the key once, with a note", async () => {
    const { run } = await withAccount();
    const created = await run("key create acme --name ci --expires 30d --services radio,farkle");
    const secret = /qk_live_\w+/.exec(created.out)?.[0];
    expect(created).toEqual(
      printed(
        `Key ci of acme was created with the ID ${nthId(2)}.\n\n  ${secret}\n\nCopy it now: it is not stored, and is not shown again.\n`,
      ),
    );
    expect(parseKey(secret)).toEqual({ kind: "ok", key: secret });
    expect((await run("key list acme")).out).not.toContain(secret);
  });

  test("create --json prints the key with its properties", async () => {
    const { run } = await withAccount();
    const { secret, ...document } = JSON.parse((await run("key create acme --expires 2027-01-31 --notes cellar --json")).out);
    expect(parseKey(secret).kind).toBe("ok");
    expect(document).toEqual({
      id: nthId(2),
      account_id: nthId(1),
      name: "default",
      prefix: "qk_live_",
      last_four: secret.slice(-4),
      services: null,
      state: "active",
      created_at: "2026-11-21T12:00:00.000Z",
      expires_at: "2027-01-31T00:00:00.000Z",
      revoked_at: null,
      notes: "cellar",
      replaced_by: null,
      allowed_addresses: [],
      allowed_origins: [],
      calls_per_month: null,
      requests_per_second: null,
    });
  });

  test("list shows each key's state", async () => {
    const { run, clock } = await withAccount();
    expect(await run("key list acme")).toEqual(printed("acme has no keys; `quintet key create acme` creates one.\n"));
    await run("key create acme --expires 1d");
    for (const name of ["second", "third", "fourth"]) {
      clock.advance(60_000);
      await run(`key create acme --name ${name} --services radio,farkle`);
    }
    await run(`key disable ${nthId(3)}`);
    await run(`key revoke ${nthId(4)}`);
    clock.advance(dayMs);
    const { out } = await run("key list acme");
    const hints = [...out.matchAll(/…(\w{4})/g)].map(([, lastFour]) => lastFour);
    expect(out).toBe(
      [
        headings,
        `default  expired   qk_live_…${hints[0]}  all           -                 2026-11-21 12:00  2026-11-22 12:00  never      ${nthId(2)}`,
        `second   disabled  qk_live_…${hints[1]}  radio,farkle  -                 2026-11-21 12:01  never             never      ${nthId(3)}`,
        `third    revoked   qk_live_…${hints[2]}  radio,farkle  -                 2026-11-21 12:02  never             never      ${nthId(4)}`,
        `fourth   active    qk_live_…${hints[3]}  radio,farkle  -                 2026-11-21 12:03  never             never      ${nthId(5)}`,
        "",
      ].join("\n"),
    );
  });

  test("show prints a key's properties", async () => {
    const { run } = await withAccount();
    const { secret } = JSON.parse((await run("key create acme --json")).out);
    await run(`key revoke ${nthId(2)}`);
    expect(await run(`key show ${nthId(2)}`)).toEqual(
      printed(
        [
          `Key:       qk_live_…${secret.slice(-4)}`,
          "Name:      default",
          `Id:        ${nthId(2)}`,
          "Account:   acme",
          "State:     revoked",
          "Services:  all",
          "Created:   2026-11-21 12:00 UTC",
          "Last used: never",
          "Expires:   never",
          "Revoked:   2026-11-21 12:00 UTC",
          "",
        ].join("\n"),
      ),
    );
  });

  test("list and show say when a key was last used", async () => {
    const { run, dataDir, clock } = await withAccount();
    await run("key create acme");
    const method = "quintet.farkle.v1.FarkleService/Score";
    const count = {
      accountId: nthId(1),
      keyId: nthId(2),
      service: "farkle",
      method,
      day: "2026-11-21",
      hour: 9,
      outcome: "OK",
      calls: 1,
    } as const;
    clock.advance(60_000);
    const store = await openStore({ dataDir, clock, role: "command" });
    await store.addUsage([count], newBatch());
    await store.close();
    expect((await run("key list acme")).out).toContain(`never    2026-11-21 12:01  ${nthId(2)}`);
    expect((await run(`key show ${nthId(2)}`)).out).toContain("Last used: 2026-11-21 12:01 UTC\n");
    expect(JSON.parse((await run(`key show ${nthId(2)} --json`)).out).last_used_at).toBe("2026-11-21T12:01:00.000Z");
    expect(JSON.parse((await run("key list acme --json")).out).keys[0].last_used_at).toBe("2026-11-21T12:01:00.000Z");
  });

  test("list and show say how much of a key's cap this month has used, also after a rotation", async () => {
    const { run, dataDir, clock } = await withAccount();
    await run("key create acme --name capped --calls-per-month 1000");
    await run("key create acme --name unused --calls-per-month 5");
    await run("key create acme --name free");
    const store = await openStore({ dataDir, clock, role: "command" });
    await store.lease({ accountId: nthId(1), capId: nthId(2) }, "2026-11", 1000, 812);
    await store.close();
    await run(`key rotate ${nthId(2)}`);
    const { out } = await run("key list acme");
    expect(out.match(/all +(\S.*?) {2}/g)?.map((cell) => cell.replace(/^all +/, "").trim())).toEqual([
      "812 of 1000",
      "0 of 5",
      "-",
      "812 of 1000",
    ]);
    expect((await run(`key show ${nthId(5)}`)).out).toContain("Calls this month: 812 of 1000\n");
    expect((await run(`key show ${nthId(4)}`)).out).not.toContain("Calls this month");
    const { keys } = JSON.parse((await run("key list acme --json")).out);
    expect(keys.map((key: { calls_this_month: number | null }) => key.calls_this_month)).toEqual([812, 0, null, 812]);
    clock.advance(10 * dayMs);
    expect((await run(`key show ${nthId(5)}`)).out).toContain("Calls this month: 0 of 1000\n");
  });

  test("rotate creates a successor and leaves the old key valid for a day, or as long as --grace says", async () => {
    const { run, clock } = await withAccount();
    await run("key create acme --name ci --services radio --notes cellar");
    const first = await run(`key rotate ${nthId(2)}`);
    const secret = /qk_live_\w+/.exec(first.out)?.[0];
    expect(first).toEqual(
      printed(
        `Key ci was replaced; the new key's ID is ${nthId(3)}. The old one works until 2026-11-22 12:00 UTC.\n\n  ${secret}\n\n` +
          "Copy it now: it is not stored, and is not shown again.\n",
      ),
    );
    const document = JSON.parse((await run(`key rotate ${nthId(3)} --grace 0m --json`)).out);
    const { old, next } = document;
    expect([old.state, old.replaced_by, next.state, next.name, next.services, next.notes]).toEqual([
      "expired",
      nthId(4),
      "active",
      "ci",
      ["radio"],
      "cellar",
    ]);
    expect((await run(`key rotate ${nthId(4)} --grace 0h`)).out).toContain("The old one no longer works.");
    clock.advance(dayMs);
    const { out } = await run(`key show ${nthId(2)}`);
    expect(out).toMatch(/^State: {7}expired$/m);
    expect(out).toContain(`Replaced by: ${nthId(3)}\nNotes:       cellar\n`);
  });

  test("create and limit say where calls may come from, and show prints it", async () => {
    const { run } = await withAccount();
    const id = nthId(2);
    await run("key create acme --name web --allowed-origins https://a.example,https://b.example");
    expect((await run(`key show ${id}`)).out).toContain("Allowed origins: https://a.example, https://b.example\n");
    expect(await run(`key limit ${id} --allowed-addresses 203.0.113.7/32,2001:DB8::/32`)).toEqual(
      printed(
        "Key web is limited from the next call on.\nAllowed IP addresses: 203.0.113.7, 2001:db8::/32\n" +
          "Allowed origins: https://a.example, https://b.example\n",
      ),
    );
    const document = JSON.parse((await run(`key limit ${id} --allowed-origins all --json`)).out);
    expect([document.allowed_addresses, document.allowed_origins]).toEqual([["203.0.113.7", "2001:db8::/32"], []]);
    expect(await run(`key limit ${id} --allowed-addresses all`)).toEqual(printed("Key web has no limits of its own.\n"));
    expect((await run(`key show ${id}`)).out).not.toContain("Allowed");
    const limits = "--calls-per-month 10000 --requests-per-second 5";
    expect(await run(`key limit ${id} ${limits}`)).toEqual(
      printed("Key web is limited from the next call on.\nCalls per month: 10000\nRequests per second: 5\n"),
    );
    const changed = JSON.parse((await run(`key limit ${id} --calls-per-month none --json`)).out);
    expect([changed.calls_per_month, changed.requests_per_second]).toEqual([null, 5]);
    await run(`key limit ${id} --requests-per-second none`);
    expect((await run(`key limit ${id} --requests-per-second 100001`)).err).toContain(
      "--requests-per-second must be a whole number from 1 to 100000, not 100001",
    );
    expect((await run(`key limit ${id} --calls-per-month many`)).err).toContain("It must be a whole number, or none.");
    expect(await run(`key limit ${id}`)).toEqual(refused("usage", "Say what to limit, such as --allowed-addresses 203.0.113.7."));
    const wrong = await run(`key limit ${id} --allowed-origins https://a.example/`);
    expect(wrong).toEqual(
      refused("usage", '--allowed-origins must be origins as browsers send them; write "https://a.example/" as https://a.example'),
    );
  });

  test("disable, enable and revoke print what they mean for calls", async () => {
    const { run } = await withAccount();
    await run("key create acme");
    const id = nthId(2);
    expect(await run(`key disable ${id}`)).toEqual(
      printed("Key default is disabled: its calls are refused until it is enabled.\n"),
    );
    expect(await run(`key enable ${id}`)).toEqual(printed("Key default is enabled: its calls are accepted.\n"));
    expect(await run(`key revoke ${id}`)).toEqual(printed("Key default is revoked: its calls are refused permanently.\n"));
    expect(await run(`key revoke ${id}`)).toEqual(
      refused("conflict", `The key ${id} is revoked, which is final; create a new one.`),
    );
  });

  test.for([
    {
      line: "key create nobody",
      exit: "notFound" as const,
      message: "There is no account called nobody; `quintet account list` shows them.",
    },
    {
      line: "key list nobody",
      exit: "notFound" as const,
      message: "There is no account called nobody; `quintet account list` shows them.",
    },
    {
      line: "key show k-9",
      exit: "notFound" as const,
      message: "There is no key with the ID k-9; `quintet key list ACCOUNT` shows an account's keys.",
    },
    {
      line: "key revoke k-9",
      exit: "notFound" as const,
      message: "There is no key with the ID k-9; `quintet key list ACCOUNT` shows an account's keys.",
    },
    {
      line: "key create acme --expires 2026-11-21",
      exit: "usage" as const,
      message: "--expires must be in the future, at most ten years away",
    },
    {
      line: "key create acme --expires 4000d",
      exit: "usage" as const,
      message: "--expires must be in the future, at most ten years away",
    },
    {
      line: "key create acme --services radio,radio",
      exit: "usage" as const,
      message: "--services must name at least one service, and none of them twice",
    },
    {
      line: `key create acme --name ${"x".repeat(65)}`,
      exit: "usage" as const,
      message: "--name must be 1 to 64 characters without control characters",
    },
    { line: `key rotate ${nthId(2)} --grace 8d`, exit: "usage" as const, message: "--grace must be from 0 to 7 days" },
  ])("$line is refused", async ({ line, exit, message }) => {
    const { run } = await withAccount();
    await run("key create acme");
    expect(await run(line)).toEqual(refused(exit, message));
  });
});
