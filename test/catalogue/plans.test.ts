import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { LOWEST_ENTITLEMENTS } from "../../src/catalogue/entitlements.ts";
import { loadPlans, PlanFileError, readPlanFile } from "../../src/catalogue/plans.ts";
import { SERVICE_NAMES } from "../../src/catalogue/service-names.ts";

const folder = mkdtempSync(join(tmpdir(), "plans-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "plans.json");

const builtIn = () => JSON.parse(readFileSync(new URL("../../plans/default.json", import.meta.url), "utf8"));

function thrownBy(content: unknown): unknown {
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  try {
    loadPlans(file);
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("the built-in plans", () => {
  const plans = loadPlans(undefined);
  const rows = plans.all.map((plan) => [plan.service, plan.name, plan.priceMinor, plan.callsPerMonth, plan.requestsPerSecond]);

  test("are the published tables", () => {
    expect(rows).toEqual([
      ["radio", "free", 0, 20_000, 5],
      ["radio", "basic", 800, 250_000, 15],
      ["radio", "pro", 2400, 2_000_000, 40],
      ["radio", "mega", 5900, 10_000_000, 120],
      ["token-price", "free", 0, 11_500, 3],
      ["token-price", "starter", 950, 135_000, 8],
      ["token-price", "pro", 2500, 650_000, 15],
      ["token-price", "scale", 5950, 3_250_000, 30],
      ["token-list", "free", 0, 5000, 3],
      ["token-list", "starter", 1190, 110_000, 8],
      ["token-list", "pro", 3900, 700_000, 20],
      ["token-list", "business", 11_500, 4_500_000, 50],
      ["bitcoin", "free", 0, 650, 2],
      ["bitcoin", "starter", 2300, 24_000, 6],
      ["bitcoin", "pro", 7700, 125_000, 16],
      ["bitcoin", "scale", 21_300, 620_000, 40],
      ["farkle", "free", 0, 7460, 2],
      ["farkle", "starter", 437, 56_700, 6],
      ["farkle", "pro", 1154, 232_800, 15],
      ["farkle", "mega", 3648, 1_353_000, 40],
    ]);
  });

  test("are all priced in euros", () => {
    expect(new Set(plans.all.map(({ currency }) => currency))).toEqual(new Set(["EUR"]));
  });

  test("set the batch size of the token-price service", () => {
    expect(plans.of("token-price").map(({ name, entitlements }) => [name, entitlements.tokensPerCallMax])).toEqual([
      ["free", 3],
      ["starter", 12],
      ["pro", 50],
      ["scale", 100],
    ]);
  });

  test("include Farkle's breakdown from Starter up", () => {
    expect(plans.of("farkle").map(({ name, entitlements }) => [name, entitlements.farkleBreakdown])).toEqual([
      ["free", false],
      ["starter", true],
      ["pro", true],
      ["mega", true],
    ]);
  });

  test("are found by service and name", () => {
    expect(plans.find("farkle", "mega")).toEqual({
      id: "farkle/mega/1",
      service: "farkle",
      name: "mega",
      priceMinor: 3648,
      currency: "EUR",
      callsPerMonth: 1_353_000,
      requestsPerSecond: 40,
      entitlements: { ...LOWEST_ENTITLEMENTS, farkleBreakdown: true },
    });
    expect(plans.find("farkle", "business")).toBeUndefined();
  });
});

test("an operator's file replaces the whole built-in one", () => {
  const radio = [{ name: "everything", priceMinor: 100, currency: "CHF", callsPerMonth: 10, requestsPerSecond: 1 }];
  writeFileSync(file, JSON.stringify({ ...builtIn(), radio }));
  expect(loadPlans(file).of("radio")).toEqual([
    { id: "radio/everything/1", service: "radio", ...radio[0], entitlements: LOWEST_ENTITLEMENTS },
  ]);
});

describe("a file for another version", () => {
  const only = (plan: object, others: object = {}) => {
    writeFileSync(
      file,
      JSON.stringify({
        farkle: [{ name: "free", priceMinor: 0, currency: "EUR", callsPerMonth: 1, requestsPerSecond: 1, ...plan }],
        ...others,
      }),
    );
    return readPlanFile(file);
  };

  test("sells only the services that it names, and an entitlement that is missing has its lowest value", () => {
    const { plans, warnings } = only({});
    expect([plans.map(({ id, entitlements }) => [id, entitlements]), warnings]).toEqual([
      [["farkle/free/1", LOWEST_ENTITLEMENTS]],
      [],
    ]);
  });

  test("is warned about what is unknown, and used without it", () => {
    const { plans, warnings } = only({ seats: 5, tokensPerCallMax: 3 }, { weather: [] });
    const fields = "the fields are name, priceMinor, currency, callsPerMonth, requestsPerSecond, farkleBreakdown";
    expect([plans.map(({ id }) => id), warnings]).toEqual([
      ["farkle/free/1"],
      [
        `weather: is not a service; the services are ${SERVICE_NAMES.join(", ")}`,
        `farkle, plan "free": seats is not a field of this service's plans; ${fields}`,
        `farkle, plan "free": tokensPerCallMax is not a field of this service's plans; ${fields}`,
      ],
    ]);
  });

  test("must sell something", () => {
    expect(thrownBy({ weather: [] })).toMatchObject({
      faults: [`must have plans for at least one service; the services are ${SERVICE_NAMES.join(", ")}`],
    });
  });
});

describe("a faulty file", () => {
  test("is refused with all its faults at once, each with its service, plan and field", () => {
    const plans = builtIn();
    plans.radio[0].callsPerMonth = 0;
    plans.radio[1].name = "Basic";
    delete plans.radio[2].currency;
    plans.radio[3].name = "free";
    plans["token-price"][0].tokensPerCallMax = 101;
    plans.bitcoin = [];
    plans.farkle[0] = "free";
    const faults = [
      'radio, plan "free": callsPerMonth must be a whole number from 1 to 2000000000',
      'radio, plan "Basic": name must be 1 to 32 lower-case letters, digits and hyphens, and begin with a letter',
      'radio, plan "pro": currency must be an ISO 4217 code such as EUR',
      'radio, plan "free": name is taken by another plan of this service',
      'token-price, plan "free": tokensPerCallMax must be a whole number from 1 to 100',
      "bitcoin: must be a list of 1 to 100 plans",
      "farkle, plan number 1: must be an object",
    ];
    const error = thrownBy(plans);
    expect(error).toBeInstanceOf(PlanFileError);
    expect(error).toMatchObject({
      faults,
      message: `The plan file ${file} has 7 faults:\n${faults.map((fault) => `  ${fault}`).join("\n")}`,
    });
  });

  test.each([
    ["not JSON", "{", /^is not JSON: /],
    ["a list", "[]", /^must be an object with one list of plans for each service$/],
  ])("%s", (_, content, fault) => {
    expect(thrownBy(content)).toMatchObject({ faults: [expect.stringMatching(fault)] });
  });

  test("that does not exist is named", () => {
    const path = join(folder, "absent.json");
    expect(() => loadPlans(path)).toThrow(`The plan file ${path} has a fault:\n  cannot be read: `);
  });
});
