// `quintet account members`: lists who may use an account, and removes one of them.
import { describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { type CommandLine, createCommandLine, nthId, printed, refused } from "./command-line.ts";

const DAY_MS = 86_400_000;

// The account acme, whose owner signs in, with Ada as a developer.
async function openTeam(): Promise<CommandLine> {
  const commandLine = createCommandLine();
  const { dataDir, clock, run } = commandLine;
  await run("account create acme --email ops@acme.example");
  await run("account create ada --email ada@example.com");
  const store = await openStore({ dataDir, clock, role: "command" });
  await store.setOwnerPassword(nthId(1), "hash");
  await store.setOwnerPassword(nthId(2), "hash");
  const invitation = { id: "i-1", accountId: nthId(1), email: "ada@example.com", role: "developer", invitedBy: nthId(1) } as const;
  await store.inviteMember({ ...invitation, tokenHash: "t-1", expiresAtMs: clock.nowMs() + DAY_MS });
  await store.acceptInvitation("t-1", nthId(2));
  await store.close();
  return commandLine;
}

const PRIMARY = {
  ...{ id: nthId(1), email: "ops@acme.example", role: "owner", primary_owner: true, joined_at: "2026-11-21T12:00:00.000Z" },
};
const ADA = {
  ...{ id: nthId(2), email: "ada@example.com", role: "developer", primary_owner: false, joined_at: "2026-11-21T12:00:00.000Z" },
};

describe("quintet account members", () => {
  test("prints a table, or that nobody can sign in", async () => {
    const { run } = await openTeam();
    expect(await run("account members acme")).toEqual(
      printed(
        [
          "EMAIL             ROLE           SINCE             ID",
          `ops@acme.example  primary owner  2026-11-21 12:00  ${nthId(1)}`,
          `ada@example.com   developer      2026-11-21 12:00  ${nthId(2)}`,
          "",
        ].join("\n"),
      ),
    );
    await run("account create nologin");
    expect(await run("account members nologin")).toEqual(printed("Nobody can sign in to the account nologin.\n"));
  });

  test("prints JSON", async () => {
    const { run } = await openTeam();
    const { code, out, err } = await run("account members acme --json");
    expect({ code, err, document: JSON.parse(out) }).toEqual({
      ...{ code: 0, err: "", document: { account: "acme", members: [PRIMARY, ADA] } },
    });
  });

  test("removes a member, which the audit trail records with who did it", async () => {
    const { run } = await openTeam();
    const { out } = await run("account members acme --remove ada@example.com --json");
    expect(JSON.parse(out)).toEqual({ account: "acme", members: [PRIMARY] });
    const { entries } = JSON.parse((await run("audit acme --json")).out) as { entries: readonly object[] };
    expect(entries[0]).toMatchObject({
      ...{ actor: { kind: "operator", name: "alice", origin: "host-1" }, action: "member.remove", subject: nthId(2) },
    });
    expect(await run("account members acme --remove ada")).toEqual(
      refused("conflict", `The account has no member with the ID ${nthId(2)}.`),
    );
  });

  test("does not remove the primary owner, or somebody who does not exist", async () => {
    const { run } = await openTeam();
    const primary = "The primary owner, whose own account this is, cannot leave it or be removed; they can delete the account.";
    expect(await run("account members acme --remove acme")).toEqual(refused("conflict", primary));
    expect((await run("account members acme --remove nobody")).err).toContain("nobody");
  });
});
