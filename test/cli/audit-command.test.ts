import { describe, expect, test } from "vitest";
import { type CommandLine, createCommandLine, nthId, printed, refused } from "./command-line.ts";

async function changed(): Promise<CommandLine & { readonly lastFour: string }> {
  const commandLine = createCommandLine();
  const { run, clock } = commandLine;
  await run("account create acme");
  clock.advance(61_000);
  const { last_four: lastFour } = JSON.parse((await run("key create acme --services radio --json")).out);
  await run(`key revoke ${nthId(2)}`, { SUDO_USER: "bob" });
  await run("quota raise --percent 5");
  return { ...commandLine, lastFour };
}

describe("quintet audit", () => {
  test("prints who did what from where, newest first", async () => {
    const { run, lastFour } = await changed();
    const key = `name=default last_four=${lastFour} services=radio id=${nthId(2)}`;
    expect(await run("audit")).toEqual(
      printed(
        [
          "NUMBER  TIME                 WHO           FROM    ACTION          ACCOUNT  WHAT",
          "     4  2026-11-21 12:01:01  alice         host-1  quota.raise     -        month=2026-11 percent=5",
          `     3  2026-11-21 12:01:01  bob as alice  host-1  key.revoke      acme     ${key}`,
          `     2  2026-11-21 12:01:01  alice         host-1  key.create      acme     ${key}`,
          "     1  2026-11-21 12:00:00  alice         host-1  account.create  acme     name=acme",
          "",
        ].join("\n"),
      ),
    );
  });

  test("--json prints the entries, filtered", async () => {
    const { run } = await changed();
    expect(JSON.parse((await run("audit acme --action account --json")).out)).toEqual({
      entries: [
        {
          number: 1,
          at: "2026-11-21T12:00:00.000Z",
          actor: { kind: "operator", name: "alice", origin: "host-1" },
          action: "account.create",
          account_id: nthId(1),
          account: "acme",
          subject: null,
          details: { name: "acme" },
        },
      ],
      has_more: false,
    });
  });

  test("prints one page, and how to get the next one", async () => {
    const { run } = await changed();
    const first = await run("audit --since 1m --limit 2");
    expect(first.out.split("\n").slice(-3)).toEqual(["", "There are older entries; --before 3 shows them.", ""]);
    expect((await run("audit --since 1m --before 3 --limit 2")).out).toMatch(/^NUMBER.*\n {5}2 .*\n$/);
    expect(await run("audit --since 1m --before 2")).toEqual(printed("There are no such entries.\n"));
    expect((await run("audit --until 2026-11-21T12:01:00Z")).out).toMatch(/^NUMBER.*\n {5}1 .*\n$/);
  });

  test.for([
    { line: "audit --action key.revoked", message: 'There is no action called "key.revoked". Did you mean key.revoke?' },
    { line: "audit --action keys", message: 'There is no action called "keys". Did you mean key?' },
    { line: "audit --limit 0", message: "It must be a whole number from 1 to 10000." },
    { line: "audit --before x", message: "It must be a whole number from 1 to 9999999999." },
    { line: "audit --since tomorrow", message: "Give a duration before now, such as 90m, or a time" },
  ])("$line is a usage error", async ({ line, message }) => {
    const ran = await createCommandLine().run(line);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(message);
  });

  test("refuses an account that does not exist", async () => {
    expect(await createCommandLine().run("audit nobody")).toEqual(
      refused("notFound", "There is no account called nobody; `quintet account list` shows them."),
    );
  });
});
