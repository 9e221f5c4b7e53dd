// `quintet plans`: what is shown, what a file would change, and what applying it and moving subscribers does to those who subscribed before.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startStripe, stripeVariables } from "../fixtures/servers/stripe.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";
import { createCommandLine, printed, refused } from "./command-line.ts";

const plan = (name: string, priceMinor: number, change: object = {}) => ({
  ...{ name, priceMinor, currency: "EUR", callsPerMonth: 10, requestsPerSecond: 1 },
  ...change,
});

// A command line, and a function that writes a plan file and returns its path.
function scene() {
  const file = join(temporaryDirectory(), "plans.json");
  const commandLine = createCommandLine();
  const write = (plans: object): string => {
    writeFileSync(file, JSON.stringify(plans));
    return file;
  };
  const versions = async (): Promise<readonly string[]> =>
    JSON.parse((await commandLine.run("plans show --json")).out).plans.map(
      ({ id, state, subscribers, moving }: Record<string, unknown>) => `${id} ${state} ${subscribers} ${moving}`,
    );
  return { ...commandLine, file, write, versions };
}

describe("quintet plans", () => {
  test("shows a service's plans; a new database has the built-in ones", async () => {
    const { run } = createCommandLine();
    expect(await run("plans --service farkle")).toEqual(
      printed(
        [
          "VERSION           STATE    SUBSCRIBERS  PRICE PER MONTH  CALLS PER MONTH  REQUESTS PER SECOND  INCLUDES",
          "farkle/free/1     offered            0         0.00 EUR            7 460                    2",
          "farkle/starter/1  offered            0         4.37 EUR           56 700                    6  score breakdown",
          "farkle/pro/1      offered            0        11.54 EUR          232 800                   15  score breakdown",
          "farkle/mega/1     offered            0        36.48 EUR        1 353 000                   40  score breakdown",
          "",
        ].join("\n"),
      ),
    );
  });

  test("--json prints all of them, with what each includes", async () => {
    const { plans } = JSON.parse((await createCommandLine().run("plans --json")).out);
    expect(plans.length).toBeGreaterThan(10);
    expect(plans.find(({ service }: { service: string }) => service === "token-price")).toEqual({
      id: "token-price/free/1",
      service: "token-price",
      name: "free",
      price_minor: 0,
      currency: "EUR",
      calls_per_month: 11_500,
      requests_per_second: 3,
      tokens_per_call_max: 3,
      state: "offered",
      subscribers: 0,
      moving: 0,
      created_at: "2026-11-21T12:00:00.000Z",
    });
  });

  test("a new database has the plans of QUINTET_PLANS, each price with as many decimals as its currency", async () => {
    const { run, write } = scene();
    const file = write({ radio: [plan("yen", 800, { currency: "JPY" })] });
    expect((await run("plans --service radio", { QUINTET_PLANS: file })).out).toContain("800 JPY");
  });

  test("diff and apply show what changes for how many, and subscribers keep their version", async () => {
    const { run, write, versions } = scene();
    await run(`plans apply ${write({ radio: [plan("free", 0), plan("basic", 499), plan("old", 100), plan("gone", 200)] })}`);
    await run("account create acme");
    await run("subscription create acme radio");
    await run("subscription activate acme radio --plan basic");
    await run("account create zebra");
    await run("subscription create zebra radio");
    await run("subscription activate zebra radio --plan old");
    const file = write({
      radio: [plan("basic", 599, { callsPerMonth: 2000 }), plan("free", 0)],
      farkle: [plan("solo", 1, { farkleBreakdown: true })],
    });
    const changes = [
      "SERVICE  PLAN   CHANGE   BEFORE                    AFTER                                     SUBSCRIBERS",
      "radio    basic  changed  4.99 EUR, 10 calls, 1/s   5.99 EUR, 2 000 calls, 1/s                          1",
      "farkle   solo   offered  -                         0.01 EUR, 10 calls, 1/s, score breakdown            -",
      "radio    old    retired  1.00 EUR, 10 calls, 1/s   -                                                   1",
      "radio    gone   removed  2.00 EUR, 10 calls, 1/s   -                                                   0",
      "",
      "2 subscribers of these keep what they have.",
      "",
    ];
    const cells = (text: string) => text.split("\n").map((line) => line.split(/ {2,}/));
    expect(cells((await run(`plans diff ${file}`)).out)).toEqual(cells(changes.join("\n")));
    expect(cells((await run(`plans apply ${file}`)).out)).toEqual(cells([...changes, "The plans are on offer.", ""].join("\n")));
    expect(await run(`plans diff ${file}`)).toEqual(printed("Nothing changes: these plans are on offer.\n"));
    expect(await versions()).toEqual([
      "radio/basic/2 offered 0 0",
      "radio/free/1 offered 0 0",
      "radio/basic/1 retired 1 0",
      "radio/old/1 retired 1 0",
      "farkle/solo/1 offered 0 0",
    ]);
    // A file with the former terms offers the former version again.
    await run(`plans apply ${write({ radio: [plan("basic", 499)] })}`);
    expect(await versions()).toEqual(["radio/basic/1 offered 1 0", "radio/old/1 retired 1 0"]);
  });

  test("what a file says that this version does not know is a warning", async () => {
    const { run, write } = scene();
    const file = write({ radio: [plan("free", 0, { seats: 5 })], weather: [] });
    const { code, err } = await run(`plans apply ${file}`);
    expect([code, err.split("\n").map((line) => line.slice(0, 40))]).toEqual([
      0,
      ["Ignored: weather: is not a service; the ", 'Ignored: radio, plan "free": seats is no', ""],
    ]);
  });

  test("migrate-subscribers moves those on retired versions when the notice is over, and names those who stay", async () => {
    const { run, write, versions } = scene();
    await run(`plans apply ${write({ radio: [plan("free", 0), plan("basic", 499), plan("old", 100)] })}`);
    for (const [account, name] of [
      ["acme", "basic"],
      ["zebra", "old"],
    ]) {
      await run(`account create ${account}`);
      await run(`subscription create ${account} radio`);
      await run(`subscription activate ${account} radio --plan ${name}`);
    }
    expect(await run("plans migrate-subscribers --notice 30d")).toEqual(printed("Nobody is on a retired version.\n"));
    await run(`plans apply ${write({ radio: [plan("free", 0), plan("basic", 599)] })}`);
    expect(await run("plans migrate-subscribers --notice 30d")).toEqual(
      printed(
        "1 subscriber of radio/basic/1 move to radio/basic/2 at 2026-12-21 12:00 UTC.\n" +
          "1 subscriber of radio/old/1 stay: no plan of that name is on offer. Name another one with --to.\n",
      ),
    );
    expect(await versions()).toEqual([
      "radio/free/1 offered 0 0",
      "radio/basic/2 offered 0 0",
      "radio/basic/1 retired 1 1",
      "radio/old/1 retired 1 0",
    ]);
    expect(await run("plans migrate-subscribers --notice 0d --service radio --plan old --to free")).toEqual(
      printed("1 subscriber of radio/old/1 move to radio/free/1 at 2026-11-21 12:00 UTC.\n"),
    );
    expect(await versions()).toEqual(["radio/free/1 offered 1 0", "radio/basic/2 offered 0 0", "radio/basic/1 retired 1 1"]);
  });

  describe("with Stripe", () => {
    const radio = { radio: [plan("free", 0), plan("basic", 499), plan("yen", 800, { currency: "JPY" })] };
    async function sceneWithStripe() {
      const stripe = await startStripe();
      onTestFinished(() => stripe.close());
      const prices = () =>
        [...stripe.state.prices.values()].map((price) => `${price.lookup_key} ${price.unit_amount} ${price.currency}`);
      return { ...scene(), stripe, variables: stripeVariables(stripe), prices };
    }

    test("sync creates the prices of paid plans that have none, and apply does it too", async () => {
      const { run, write, variables, prices } = await sceneWithStripe();
      await run(`plans apply ${write(radio)}`);
      expect(prices()).toEqual([]);
      expect(await run("plans sync", variables)).toEqual(printed("Prices created at Stripe: radio/basic/1, radio/yen/1.\n"));
      expect(await run("plans sync", variables)).toEqual(printed("Each paid plan on offer has its price at Stripe.\n"));
      expect(await run("plans sync --json", variables)).toEqual(printed('{\n  "created": []\n}\n'));
      const { out } = await run(`plans apply ${write({ radio: [plan("free", 0), plan("basic", 599)] })}`, variables);
      expect(out).toContain("The plans are on offer.\nPrices created at Stripe: radio/basic/2.\n");
      expect(prices()).toEqual(["radio/basic/1 499 eur", "radio/yen/1 800 jpy", "radio/basic/2 599 eur"]);
    });

    test("apply stands when Stripe does not answer, and sync is refused and can be repeated", async () => {
      const { run, write, versions, variables, prices, stripe } = await sceneWithStripe();
      stripe.isAway = true;
      const { code, err } = await run(`plans apply ${write(radio)}`, variables);
      expect([code, err]).toEqual([0, expect.stringMatching(/^The plans are on offer, but not all have a price at Stripe: /)]);
      expect(await versions()).toHaveLength(3);
      const refusedSync = await run("plans sync", variables);
      expect([refusedSync.code, refusedSync.err]).toEqual([1, expect.stringContaining("Repeat `quintet plans sync`.")]);
      stripe.isAway = false;
      expect((await run("plans sync", variables)).code).toBe(0);
      expect(prices()).toHaveLength(2);
    });

    test("sync is refused if a version's lookup key belongs to another price, and without Stripe's settings", async () => {
      const { run, write, variables } = await sceneWithStripe();
      await run(`plans apply ${write(radio)}`, variables);
      const other = scene();
      await other.run(`plans apply ${other.write({ radio: [plan("basic", 777)] })}`);
      const { code, err } = await other.run("plans sync", variables);
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/^quintet: The price price_\w+ at Stripe has the lookup key radio\/basic\/1, but is not 7\.77 EUR\./),
      ]);
      expect(await run("plans sync")).toEqual(
        refused("settings", "QUINTET_STRIPE_KEY is not set, so customers cannot pay by card."),
      );
    });
  });

  test.for([
    ["plans migrate-subscribers --notice 0d --to pro", "--to needs --service and --plan, which say whose subscribers to move."],
    ["plans migrate-subscribers --notice 367d", "--notice must be at most 366d."],
  ] as const)("%s is refused", async ([line, message]) => {
    expect(await createCommandLine().run(line)).toEqual(refused("usage", message));
  });

  test.for(["diff", "apply"])("a faulty file is refused by %s", async (verb) => {
    const ran = await createCommandLine().run(`plans ${verb} /nowhere/plans.json`);
    expect([ran.code, ran.err]).toEqual([6, expect.stringContaining("/nowhere/plans.json")]);
  });

  test("an unknown service is a usage error", async () => {
    const ran = await createCommandLine().run("plans --service radios");
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining("The services are radio, ")]);
  });
});
