// `quintet billing`: what paid plans bring in, and the lines for bookkeeping.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";
import { type CommandLine, createCommandLine, nthId, printed } from "./command-line.ts";

const DAY_MS = 86_400_000;

const plan = (name: string, priceMinor: number, currency = "EUR") => ({
  ...{ name, priceMinor, currency, callsPerMonth: 10, requestsPerSecond: 1 },
});

// Two months: acme has a plan all the time and one more in yen from the middle of December, zebra moves to a cheaper one, and gone cancels.
async function earned(): Promise<CommandLine> {
  const commandLine = createCommandLine();
  const { run, clock } = commandLine;
  const quintet = async (line: string): Promise<void> => {
    expect(await run(line)).toMatchObject({ code: 0, err: "" });
  };
  const file = join(temporaryDirectory(), "plans.json");
  writeFileSync(
    file,
    JSON.stringify({ radio: [plan("free", 0), plan("pro", 3000), plan("basic", 1000)], farkle: [plan("fun", 310, "JPY")] }),
  );
  await quintet(`plans apply ${file}`);
  for (const name of ["acme", "zebra", "gone"]) {
    await quintet(`account create ${name}`);
    await quintet(`subscription create ${name} radio`);
    await quintet(`subscription activate ${name} radio --plan pro`);
  }
  // From 21 November 12:00 to 11 December 12:00, and to 21 December 12:00.
  clock.advance(20 * DAY_MS);
  await quintet("subscription activate zebra radio --plan basic");
  await quintet("subscription create acme farkle --plan fun");
  clock.advance(10 * DAY_MS);
  await quintet("subscription activate acme farkle");
  await quintet("subscription cancel gone radio");
  return commandLine;
}

describe("quintet billing", () => {
  test("income shows the month's beginning, what changed, and its end, by currency", async () => {
    const { run } = await earned();
    expect(await run("billing income")).toEqual(
      printed(
        [
          "Monthly recurring revenue, and how many subscriptions",
          "",
          "2026-12      BEGIN    GAINED       LOST     CHANGED        END    FAILED",
          "EUR      90.00 (3)  0.00 (0)  30.00 (1)  -20.00 (1)  40.00 (2)  0.00 (0)",
          "JPY          0 (0)   310 (1)      0 (0)       0 (0)    310 (1)     0 (0)",
          "",
        ].join("\n"),
      ),
    );
    expect(JSON.parse((await run("billing income --month 2026-11 --json")).out)).toEqual({
      month: "2026-11",
      income: [
        {
          currency: "EUR",
          begin: { amount_minor: 0, subscriptions: 0 },
          gained: { amount_minor: 9000, subscriptions: 3 },
          lost: { amount_minor: 0, subscriptions: 0 },
          changed: { amount_minor: 0, subscriptions: 0 },
          end: { amount_minor: 9000, subscriptions: 3 },
          failed: { amount_minor: 0, subscriptions: 0 },
        },
      ],
    });
    expect((await run("billing income --month 2026-10")).out).toBe("No paid plans in 2026-10.\n");
  });

  test("export prints each paid plan with its part of the month and of the price", async () => {
    const { run } = await earned();
    const lines = (await run("billing export --month 2026-12")).out.split("\r\n");
    const line = (name: string, service: string, version: string, from: string, to: string, net: string, currency: string) =>
      [nthId({ acme: 1, zebra: 3, gone: 5 }[name] ?? 0), name, service, version, from, to, net, "", currency, "operator", ""].join(
        ",",
      );
    const [begin, noon11, noon21, end] = ["01T00", "11T12", "21T12"]
      .map((time) => `2026-12-${time}:00:00.000Z`)
      .concat("2027-01-01T00:00:00.000Z") as [string, string, string, string];
    expect(lines).toEqual([
      "account_id,account,service,plan_version,from,to,net,tax,currency,payment,invoice",
      line("acme", "farkle", "farkle/fun/1", noon21, end, "105", "JPY"),
      line("acme", "radio", "radio/pro/1", begin, end, "30.00", "EUR"),
      line("zebra", "radio", "radio/pro/1", begin, noon11, "10.16", "EUR"),
      line("zebra", "radio", "radio/basic/1", noon11, end, "6.61", "EUR"),
      line("gone", "radio", "radio/pro/1", begin, noon21, "19.84", "EUR"),
      "",
    ]);
  });

  test.for(["billing export", "billing export --month 2026-13", "billing income --month november"])(
    "%s is a usage error",
    async (line) => {
      expect(await createCommandLine().run(line)).toMatchObject({ code: 2, out: "" });
    },
  );
});
