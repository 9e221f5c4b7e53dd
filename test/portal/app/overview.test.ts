// What the overview shows of an account's figures: its last day, its alerts, and the geometry of its charts.
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { SubscriptionSchema, SubscriptionState } from "../../../gen/quintet/account/v1/account_pb.js";
import { PlanSchema } from "../../../gen/quintet/account/v1/status_pb.js";
import { callsOn, lastDayOf, withoutDrop } from "../../../portal/app/pages/overview/last-day.ts";
import { type AlertsInput, monthAlerts, requestedPlans } from "../../../portal/app/pages/overview/month-alerts.ts";
import type { MonthStanding } from "../../../portal/app/usage/usage-report.ts";
import { stackOf, tickOf } from "../../../portal/components/plot/bar-stack.ts";
import { pointsOf } from "../../../portal/components/plot/sparkline-points.ts";
import { nextIndex } from "../../../portal/components/plot/use-pointed.ts";

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 10, 21, 12, 30);
const RESETS_AT = timestampFromMs(Date.UTC(2026, 11, 1));

describe("the last day", () => {
  const at = (hour: number, service: string, calls: number, failed = 0, counted = calls) => ({
    hour: timestampFromMs(Date.UTC(2026, 10, 21, hour)),
    service,
    calls,
    failed,
    counted,
  });
  const refused = (hour: number, service: string, calls: number) => ({
    hour: timestampFromMs(Date.UTC(2026, 10, 21, hour)),
    service,
    calls,
  });

  test("is the current hour and the 23 before it, by outcome and by service", () => {
    const usage = [at(-13, "radio", 900), at(-11, "radio", 5, 1, 4), at(12, "radio", 7), at(12, "farkle", 2, 2)];
    const { timesMs, hours, services, ...sums } = lastDayOf(usage, [refused(12, "bitcoin", 3)], NOW_MS);
    expect([timesMs.length, timesMs[0], timesMs.at(-1)]).toEqual([24, NOW_MS - 23.5 * HOUR_MS, NOW_MS - 0.5 * HOUR_MS]);
    expect([hours.ok[0], hours.failed[0], hours.ok[23], hours.failed[23], hours.refused[23]]).toEqual([4, 1, 7, 2, 3]);
    expect(sums).toEqual({ calls: 14, failed: 3, refused: 3, failedByUs: 1 });
    const seen = services.map(({ hours: own, ...service }) => ({ ...service, first: own[0], last: own[23] }));
    expect(seen).toEqual([
      { service: "radio", calls: 12, failed: 1, refused: 0, first: 5, last: 7 },
      { service: "bitcoin", calls: 0, failed: 0, refused: 3, first: 0, last: 0 },
      { service: "farkle", calls: 2, failed: 2, refused: 0, first: 0, last: 2 },
    ]);
  });

  test("has no services if there were no calls", () => {
    expect(lastDayOf([], [], NOW_MS)).toMatchObject({ calls: 0, failed: 0, refused: 0, services: [] });
  });

  test("a service whose only calls are of the current hour has a line that rises, and an hour that has just begun does not look like a drop", () => {
    const hoursOf = (...rows: Parameters<typeof lastDayOf>[0]) => lastDayOf(rows, [], NOW_MS).services[0]?.hours ?? [];
    const first = withoutDrop(hoursOf(at(12, "radio", 7)));
    expect([first.length, Math.max(...first)]).toEqual([24, 7]);
    const begun = withoutDrop(hoursOf(at(11, "radio", 900), at(12, "radio", 7)));
    expect([begun.length, begun.at(-1)]).toEqual([23, 900]);
  });

  test("days are added up by their day or month", () => {
    const days = ["2026-10-31", "2026-11-20", "2026-11-21", "2026-11-21"].map((day, index) => ({ day, calls: 10 ** index }));
    expect([callsOn(days, "2026-11-21"), callsOn(days, "2026-11"), callsOn(days, "2026-12")]).toEqual([1100, 1110, 0]);
  });
});

describe("alerts", () => {
  const plan = (service: string, name: string, priceMinor: number, callsPerMonth: number, requestsPerSecond: number) =>
    create(PlanSchema, { service, name, priceMinor, currency: "EUR", callsPerMonth, requestsPerSecond });
  const plans = ["farkle", "bitcoin"].flatMap((service) => [
    plan(service, "free", 0, 650, 2),
    plan(service, "pro", 2300, 24_000, 6),
  ]);
  const standing = (values: Partial<MonthStanding>): MonthStanding => ({
    subscriptionId: "",
    service: "bitcoin",
    plan: "free",
    month: "2026-11",
    callsPerMonth: 650,
    credited: 0,
    counted: 0,
    remaining: undefined,
    resetsAt: RESETS_AT,
    refusedForRate: 0,
    refusedForQuota: 0,
    ...values,
  });
  const daysOf = (counted: number, days: number, service = "bitcoin"): AlertsInput["days"] =>
    Array.from({ length: days }, (_, index) => ({ day: `2026-11-${String(20 - index).padStart(2, "0")}`, service, counted }));
  const input = (values: Partial<AlertsInput>): AlertsInput => ({
    standings: [],
    plans,
    days: [],
    requested: new Map(),
    nowMs: NOW_MS,
    takesCards: false,
    ...values,
  });
  const PRO = { label: "Request Pro", href: "/app/subscriptions?do=plan&service=bitcoin&plan=pro" };
  const PLANS = { label: "View plans", href: "/app/subscriptions#bitcoin" };

  test.for<{ case: string; given: Partial<AlertsInput>; found: readonly object[] }>([
    {
      case: "a payment that failed, before all else",
      given: { standings: [standing({ counted: 650, remaining: 0, paymentGraceEndsAt: timestampFromMs(Date.UTC(2026, 10, 28)) })] },
      found: [
        {
          service: "bitcoin",
          tone: "bad",
          title: "Bitcoin valuation: your payment failed",
          text: "You keep your plan until November 28 (UTC). Use another card before then.",
          action: PLANS,
        },
      ],
    },
    {
      case: "a month that is used up, on a server that takes cards",
      given: { takesCards: true, standings: [standing({ counted: 650, remaining: 0 })] },
      found: [expect.objectContaining({ action: { ...PRO, label: "Buy Pro" } })],
    },
    { case: "none while enough is left", given: { standings: [standing({ counted: 300, remaining: 350 })] }, found: [] },
    {
      case: "a month that is used up, with the price of what would have helped",
      given: {
        standings: [standing({ counted: 650, remaining: 0, refusedForQuota: 42, sufficientRequestsPerSecond: 6 })],
      },
      found: [
        {
          service: "bitcoin",
          tone: "bad",
          title: "Bitcoin valuation: this month's calls are used up",
          text: "Calls are refused until December 1 (UTC). Pro (€23 a month) would have admitted all of this month's 42 refused calls.",
          action: PRO,
        },
      ],
    },
    {
      case: "a month that is used up to the call, before any was refused",
      given: { standings: [standing({ counted: 650, remaining: 0 })] },
      found: [
        {
          service: "bitcoin",
          tone: "bad",
          title: "Bitcoin valuation: this month's calls are used up",
          text: "Calls are refused until December 1 (UTC). Pro (€23 a month) includes 24,000 calls.",
          action: PRO,
        },
      ],
    },
    {
      case: "a month that is nearly used up, without a forecast from less than three days",
      given: { standings: [standing({ counted: 611, remaining: 39 })], days: daysOf(300, 2) },
      found: [
        {
          service: "bitcoin",
          tone: "bad",
          title: "Bitcoin valuation: 94% of this month's calls are used",
          text: "39 left until December 1 (UTC). Pro (€23 a month) includes 24,000 calls.",
          action: PRO,
        },
      ],
    },
    {
      case: "a month that will not last",
      given: { standings: [standing({ counted: 400, remaining: 250 })], days: daysOf(100, 4) },
      found: [
        {
          service: "bitcoin",
          tone: "plain",
          title: "Bitcoin valuation: this month's calls will not last",
          text: "250 left until December 1 (UTC). At this pace they will run out on November 24. Pro (€23 a month) includes 24,000 calls.",
          action: PRO,
        },
      ],
    },
    {
      case: "on the largest plan",
      given: { standings: [standing({ plan: "pro", callsPerMonth: 24_000, counted: 24_000, remaining: 0 })] },
      found: [
        {
          service: "bitcoin",
          tone: "bad",
          title: "Bitcoin valuation: this month's calls are used up",
          text: "Calls are refused until December 1 (UTC). There is no larger plan.",
          action: PLANS,
        },
      ],
    },
    {
      case: "none for refusals that no plan would have avoided",
      given: {
        standings: [
          standing({
            plan: "pro",
            callsPerMonth: 24_000,
            counted: 9,
            remaining: 23_991,
            refusedForRate: 5,
            sufficientRequestsPerSecond: 9,
          }),
        ],
      },
      found: [],
    },
    {
      case: "a plan that was requested is not offered again",
      given: { standings: [standing({ counted: 650, remaining: 0 })], requested: new Map([["bitcoin", "pro"]]) },
      found: [
        {
          service: "bitcoin",
          tone: "bad",
          title: "Bitcoin valuation: this month's calls are used up",
          text: "Calls are refused until December 1 (UTC). Waiting for activation: Pro.",
          action: PLANS,
        },
      ],
    },
    {
      case: "a plan that waits, in the wording of the Subscriptions page",
      given: { requested: new Map([["bitcoin", "pro"]]) },
      found: [
        {
          service: "bitcoin",
          tone: "plain",
          title: "Bitcoin valuation",
          text: "Waiting for activation: Pro.",
          action: PLANS,
        },
      ],
    },
  ])("$case", ({ given, found }) => {
    expect(monthAlerts(input(given))).toEqual(found);
  });

  test("the worst comes first", () => {
    const standings = [standing({ counted: 611, remaining: 39 }), standing({ service: "farkle", counted: 650, remaining: 0 })];
    expect(monthAlerts(input({ standings })).map(({ service }) => service)).toEqual(["farkle", "bitcoin"]);
  });

  test("a requested plan is shown as waiting, whether or not another plan is active", () => {
    const { REQUESTED, ACTIVE } = SubscriptionState;
    const subscriptions = [
      { service: "radio", state: REQUESTED, plan: "pro" },
      { service: "farkle", state: ACTIVE, plan: "free", requestedPlan: "mega" },
      { service: "bitcoin", state: ACTIVE, plan: "free" },
    ].map((one) => create(SubscriptionSchema, one));
    expect([...requestedPlans(subscriptions)]).toEqual([
      ["radio", "pro"],
      ["farkle", "mega"],
    ]);
  });
});

describe("charts", () => {
  const series = (values: readonly (number | null)[], colour: string) => ({ label: colour, colour, values });

  test("bars are stacked in the order of the series, without parts of height 0", () => {
    expect(stackOf([series([1, 0, null], "a"), series([2, 3, 0], "b")])).toEqual([
      [
        { from: 0, to: 1, colour: "a" },
        { from: 1, to: 3, colour: "b" },
      ],
      [{ from: 0, to: 3, colour: "b" }],
      [],
    ]);
  });

  test.for([
    [0, 1],
    [1, 1],
    [3, 2],
    [9, 5],
    [41, 25],
    [100, 50],
    [3783, 2000],
    [2_000_001, 2_000_000],
  ] as const)("of a bar of %d, the lines are %d apart", ([most, tick]) => {
    expect(tickOf(most)).toBe(tick);
  });

  test("a sparkline has its largest value at the top, and 0 at the bottom", () => {
    expect(pointsOf([0, 10, 5])).toBe("0,30 60,2 120,16");
    expect(pointsOf([0, 0])).toBe("0,30 120,30");
  });

  test.for<[key: string, from: number | undefined, to: number | undefined]>([
    ["ArrowLeft", undefined, 9],
    ["ArrowLeft", 5, 4],
    ["ArrowLeft", 0, 0],
    ["ArrowRight", 5, 6],
    ["ArrowRight", 9, 9],
    ["Home", 5, 0],
    ["End", 5, 9],
    ["Escape", 5, -1],
    ["Tab", 5, undefined],
  ])("the key %s leads from %s to %s", ([key, from, to]) => {
    expect(nextIndex(key, from, 9)).toBe(to);
  });
});
