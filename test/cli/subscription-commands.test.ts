import { describe, expect, test } from "vitest";
import { type CommandLine, createCommandLine, nthId, printed, refused } from "./command-line.ts";

async function withAccount(): Promise<CommandLine> {
  const commandLine = createCommandLine();
  await commandLine.run("account create acme");
  return commandLine;
}

describe("quintet subscription", () => {
  test("a free plan starts at once, a paid one when it is activated", async () => {
    const { run } = await withAccount();
    expect(await run("subscription create acme radio")).toEqual(printed("acme is subscribed to radio on the plan free.\n"));
    expect(await run("subscription create acme farkle --plan pro")).toEqual(
      printed(
        "acme is subscribed to farkle on the plan free and has requested pro; `quintet subscription activate acme farkle` activates it.\n",
      ),
    );
    expect(await run("subscription activate acme farkle")).toEqual(printed("acme is subscribed to farkle on the plan pro.\n"));
  });

  test("a plan that waits is declined, and the active one stays", async () => {
    const { run } = await withAccount();
    await run("subscription create acme radio");
    await run("subscription request acme radio --plan pro");
    expect(await run("subscription decline acme radio")).toEqual(printed("acme is subscribed to radio on the plan free.\n"));
    expect(await run("subscription decline acme radio")).toEqual(
      refused("conflict", "No plan of radio is waiting for activation; free is active."),
    );
    await run("subscription create acme farkle --plan pro");
    expect(await run("subscription decline acme farkle")).toEqual(printed("acme is subscribed to farkle on the plan free.\n"));
  });

  test("another plan waits alongside the active one; a free one does not wait", async () => {
    const { run } = await withAccount();
    await run("subscription create acme radio");
    expect(await run("subscription request acme radio --plan pro")).toEqual(
      printed(
        "acme is subscribed to radio on the plan free and has requested pro; `quintet subscription activate acme radio` activates it.\n",
      ),
    );
    expect(await run("subscription activate acme radio --plan mega")).toEqual(
      printed("acme is subscribed to radio on the plan mega.\n"),
    );
    await run("subscription request acme radio --plan pro");
    expect(await run("subscription request acme radio --plan mega")).toEqual(
      printed("acme is subscribed to radio on the plan mega.\n"),
    );
    expect(await run("subscription request acme radio --plan free")).toEqual(
      printed("acme is subscribed to radio on the plan free.\n"),
    );
  });

  test("--json prints the subscription", async () => {
    const { run } = await withAccount();
    await run("subscription create acme token-price");
    expect(JSON.parse((await run("subscription request acme token-price --plan scale --json")).out)).toEqual({
      id: nthId(2),
      account_id: nthId(1),
      service: "token-price",
      plan: "free",
      version: "token-price/free/1",
      price_minor: 0,
      currency: "EUR",
      agreed_at: "2026-11-21T12:00:00.000Z",
      requested_plan: "scale",
      requested_price_minor: 5950,
      requested_at: "2026-11-21T12:00:00.000Z",
      moves_to: null,
      moves_at: null,
      state: "active",
      created_at: "2026-11-21T12:00:00.000Z",
    });
  });

  test("list prints any number of subscriptions page by page", async () => {
    const { run } = await withAccount();
    for (const service of ["radio", "bitcoin", "farkle"]) {
      await run(`subscription create acme ${service}`);
    }
    const headings = "ACCOUNT  SERVICE  PLAN  PRICE     STATE   REQUESTED  CREATED";
    const row = (service: string): string => `acme     ${service}  free  0.00 EUR  active  -          2026-11-21 12:00`;
    expect(await run("subscription list --limit 2")).toEqual(
      printed([headings, row("radio  "), row("bitcoin"), "", "2 of 3 are shown; --offset 2 shows the next ones.", ""].join("\n")),
    );
    expect((await run("subscription list --limit 2 --offset 2")).out).toBe(
      [
        "ACCOUNT  SERVICE  PLAN  PRICE     STATE   REQUESTED  CREATED",
        "acme     farkle   free  0.00 EUR  active  -          2026-11-21 12:00",
        "",
      ].join("\n"),
    );
    expect((await run("subscription list --offset 3")).out).toBe("There are only 3 such subscriptions.\n");
    const page = JSON.parse((await run("subscription list acme --json --limit 1 --offset 1")).out);
    expect(page).toMatchObject({ subscriptions: [{ service: "bitcoin" }], total: 3, has_more: true });
    expect((await run("subscription list --limit 10001")).err).toContain("It must be a whole number from 1 to 10000.");
  });

  test("list shows the subscriptions of one account or all, those that wait, and cancelled ones on request", async () => {
    const { run, clock } = await withAccount();
    expect(await run("subscription list")).toEqual(printed("There are no such subscriptions.\n"));
    await run("account create zebra");
    await run("subscription create acme radio");
    await run("subscription request acme radio --plan pro");
    await run("subscription create acme bitcoin");
    await run("subscription create zebra farkle --plan pro");
    expect(await run("subscription cancel acme bitcoin")).toEqual(printed("acme's subscription to bitcoin is cancelled.\n"));
    clock.advance(3 * 86_400_000);
    const rows = (...lines: readonly string[]) => lines.map((line) => line.split(/ {2,}/));
    const tableOf = async (line: string) => rows(...(await run(line)).out.trimEnd().split("\n"));
    const headings = "ACCOUNT  SERVICE  PLAN  PRICE  STATE  REQUESTED  CREATED";
    const zebra = "zebra  farkle  free  0.00 EUR  active  pro (11.54 EUR, 3d)  2026-11-21 12:00";
    const acme = "acme  radio  free  0.00 EUR  active  pro (24.00 EUR, 3d)  2026-11-21 12:00";
    const cancelled = "acme  bitcoin  free  0.00 EUR  cancelled  -  2026-11-21 12:00";
    expect(await tableOf("subscription list")).toEqual(rows(headings, acme, zebra));
    expect(await tableOf("subscription list --waiting")).toEqual(rows(headings, acme, zebra));
    expect(await tableOf("subscription list zebra")).toEqual(rows(headings, zebra));
    expect(await tableOf("subscription list --all")).toEqual(rows(headings, acme, cancelled, zebra));
    await run("subscription activate acme radio");
    expect(
      JSON.parse((await run("subscription list --waiting --json")).out).subscriptions.map(
        ({ service }: { service: string }) => service,
      ),
    ).toEqual(["farkle"]);
  });

  test.for([
    {
      line: "subscription create acme radio",
      exit: "conflict" as const,
      message:
        "acme already has a subscription to radio; `quintet subscription request acme radio --plan NAME` requests another plan.",
    },
    {
      line: "subscription create acme farkle --plan gold",
      exit: "usage" as const,
      message: '--plan must be one of free, starter, pro, mega for farkle, not "gold"',
    },
    {
      line: "subscription request acme radio --plan gold",
      exit: "usage" as const,
      message: '--plan must be one of free, basic, pro, mega for radio, not "gold"',
    },
    {
      line: "subscription activate acme radio",
      exit: "conflict" as const,
      message: "No plan of radio is waiting for activation; free is active. To activate another plan, name it.",
    },
    {
      line: "subscription cancel acme farkle",
      exit: "notFound" as const,
      message: "acme has no subscription to farkle; `quintet subscription create acme farkle` creates one.",
    },
    {
      line: "subscription list nobody",
      exit: "notFound" as const,
      message: "There is no account called nobody; `quintet account list` shows them.",
    },
  ])("$line is refused", async ({ line, exit, message }) => {
    const { run } = await withAccount();
    await run("subscription create acme radio");
    expect(await run(line)).toEqual(refused(exit, message));
  });
});
