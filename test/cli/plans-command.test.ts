import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planFile } from "../fixtures/plan-file.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";
import { createCommandLine, printed } from "./command-line.ts";

describe("quintet plans", () => {
  test("prints the plans of a service, without a database", async () => {
    const { run } = createCommandLine();
    expect(await run("plans --service farkle", { QUINTET_DATA_DIR: "/nowhere" })).toEqual(
      printed(
        [
          "SERVICE  PLAN     PRICE PER MONTH  CALLS PER MONTH  REQUESTS PER SECOND  INCLUDES",
          "farkle   free            0.00 EUR            7 460                    2",
          "farkle   starter         4.37 EUR           56 700                    6  score breakdown",
          "farkle   pro            11.54 EUR          232 800                   15  score breakdown",
          "farkle   mega           36.48 EUR        1 353 000                   40  score breakdown",
          "",
        ].join("\n"),
      ),
    );
  });

  test("--json prints all of them, with what each includes", async () => {
    const { plans } = JSON.parse((await createCommandLine().run("plans --json")).out);
    expect(plans.length).toBeGreaterThan(10);
    expect(plans.find((plan: { service: string }) => plan.service === "token-price")).toEqual({
      service: "token-price",
      name: "free",
      price_minor: 0,
      currency: "EUR",
      calls_per_month: 11_500,
      requests_per_second: 3,
      tokens_per_call_max: 3,
    });
  });

  test("shows the operator's own, each price with as many decimals as its currency", async () => {
    const file = join(temporaryDirectory(), "plans.json");
    const yen = { name: "yen", callsPerMonth: 10, requestsPerSecond: 1, priceMinor: 800, currency: "JPY" };
    writeFileSync(file, planFile({ radio: [yen] }));
    expect((await createCommandLine().run("plans --service radio", { QUINTET_PLANS: file })).out).toContain(
      "radio    yen           800 JPY               10                    1\n",
    );
  });

  test("a faulty file is refused", async () => {
    const ran = await createCommandLine().run("plans", { QUINTET_PLANS: "/nowhere/plans.json" });
    expect([ran.code, ran.err]).toEqual([6, expect.stringContaining("/nowhere/plans.json")]);
  });

  test("an unknown service is a usage error", async () => {
    const ran = await createCommandLine().run("plans --service radios");
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining("The services are radio, ")]);
  });
});
