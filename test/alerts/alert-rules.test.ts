// Which alerts about calls are due: for which part of a month, for which forecast, and from which share of failed calls.
import { describe, expect, test } from "vitest";
import { ALERT_RULES as rules } from "../../src/alerts/alert-rules.ts";
import type { CountedCalls, RecentCalls, SubscriptionMonth } from "../../src/store/alert-records.ts";

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];
// The eleventh of thirty days begins.
const nowMs = Date.UTC(2026, 10, 11);

const standing = (change: Partial<SubscriptionMonth> = {}): SubscriptionMonth => ({
  ...{
    accountId: "a-1",
    service: "radio",
    month: "2026-11",
    plan: "free",
    callsPerMonth: 1000,
    subscribedAtMs: Date.UTC(2026, 5, 1),
  },
  ...{ leased: 0, credited: 0, raised: 0, alerts: [], recent: [] },
  ...change,
});
const counted = (thisMonth: number, change: Partial<CountedCalls> = {}): CountedCalls => ({
  ...{ thisMonth, previousDays: [0, 0, 0, 0, 0, 0, 0], isRefused: false },
  ...change,
});
const had = (type: "quota.threshold" | "quota.forecast" | "calls.failing", level: number, period = "2026-11/free", agoMs = 0) => ({
  ...{ type, level, period, createdAtMs: nowMs - agoMs },
});

// `80 mail` for an alert that is mailed, `50` for one that is not.
const levels = (of: SubscriptionMonth, calls: CountedCalls | undefined, atMs = nowMs): readonly string[] =>
  rules.alertsOf(of, calls, atMs).map(({ type, level, isMailed }) => {
    const name = type === "quota.threshold" ? String(level) : type;
    return isMailed ? `${name} mail` : name;
  });

describe("of a month of 1000 calls", () => {
  test.each<[string, Partial<SubscriptionMonth>, CountedCalls, readonly string[]]>([
    ["nothing below half", { leased: 500 }, counted(499), []],
    ["half, exactly", { leased: 500 }, counted(500), ["50 mail"]],
    ["80 %, after an alert at half", { leased: 900, alerts: [had("quota.threshold", 50)] }, counted(800), ["80 mail"]],
    ["several parts at once, with an e-mail about the last", { leased: 960 }, counted(955), ["50", "80", "95 mail"]],
    ["no part twice", { leased: 960, alerts: [50, 80, 95].map((level) => had("quota.threshold", level)) }, counted(990), []],
    [
      "all of it",
      { leased: 1000, alerts: [50, 80, 95].map((level) => had("quota.threshold", level)) },
      counted(1000),
      ["100 mail"],
    ],
    [
      "not all of it, while servers hold the last call",
      { leased: 1000, alerts: [50, 80, 95].map((level) => had("quota.threshold", level)) },
      counted(999),
      [],
    ],
    [
      "all of it, if calls are refused because a dead server's calls are gone",
      { leased: 1000 },
      counted(940, { isRefused: true }),
      ["50", "80", "95", "100 mail"],
    ],
    [
      "not all of it because of a refusal before more calls were added",
      { leased: 1000, credited: 500, alerts: [had("quota.threshold", 50)] },
      counted(1000, { isRefused: true }),
      [],
    ],
    ["a larger month with added calls", { leased: 1000, credited: 1000 }, counted(999), []],
    [
      "a part of another plan's calls in the same month",
      { leased: 600, alerts: [had("quota.threshold", 50, "2026-11/pro")] },
      counted(600),
      ["50 mail"],
    ],
    ["a part of another month", { leased: 600, alerts: [had("quota.threshold", 50, "2026-10/free")] }, counted(600), ["50 mail"]],
    ["the month before, when its last calls are added up late", { month: "2026-10", leased: 600 }, counted(600), ["50 mail"]],
  ])("%s", (_, change, calls, expected) => {
    expect(levels(standing(change), calls)).toEqual(expected);
  });

  test("an alert says how many calls were used out of how many, and when there will be new ones", () => {
    expect(rules.alertsOf(standing({ leased: 1000, credited: 20 }), counted(530), nowMs)).toEqual([
      {
        ...{ accountId: "a-1", type: "quota.threshold", subject: "radio", period: "2026-11/free", level: 50, isMailed: true },
        details: {
          ...{ service: "radio", plan: "free", month: "2026-11", percent: 50, used: 530, calls_per_month: 1020 },
          resets_at: "2026-12-01T00:00:00Z",
        },
      },
    ]);
  });

  test("calls are added up only when an alert may be due", () => {
    const needs = (change: Partial<SubscriptionMonth>, atMs = nowMs) => rules.needsCounts(standing(change), atMs);
    const all = [50, 80, 95, 100].map((level) => had("quota.threshold", level));
    expect({
      below: needs({ leased: 300 }),
      half: needs({ leased: 500 }),
      again: needs({ leased: 500, alerts: all.slice(0, 1), subscribedAtMs: nowMs }),
      usedUp: needs({ leased: 1000, alerts: all }),
      projected: needs({ leased: 340 }),
      projectedAgain: needs({ leased: 340, alerts: [had("quota.forecast", 0)] }),
      tooEarly: needs({ leased: 340, subscribedAtMs: nowMs - 3 * DAY_MS + 1 }),
    }).toEqual({
      ...{ below: false, half: true, again: false, usedUp: false, projected: true, projectedAgain: false },
      ...{ tooEarly: false },
    });
  });
});

describe("a forecast", () => {
  const days = (perDay: number): Partial<CountedCalls> => ({ previousDays: Array.from({ length: 7 }, () => perDay) });
  test.each<[string, Partial<SubscriptionMonth>, CountedCalls, readonly string[]]>([
    ["when both the month and the last days say that the calls will not last", {}, counted(400, days(40)), ["quota.forecast mail"]],
    ["not when only the month says so", {}, counted(400, days(20)), []],
    ["not when only the last days say so", {}, counted(200, days(60)), []],
    ["not when they would last until the last day", {}, counted(400, days(31)), []],
    ["once a month", { alerts: [had("quota.forecast", 0)] }, counted(400, days(40)), []],
    [
      "again in the next month",
      { alerts: [had("quota.forecast", 0, "2026-10/free")] },
      counted(400, days(40)),
      ["quota.forecast mail"],
    ],
    ["not of a month that is over", { month: "2026-10" }, counted(400, days(40)), []],
    ["not of less than three days", { subscribedAtMs: nowMs - 3 * DAY_MS + 1 }, counted(400, days(200)), []],
    [
      "from the days since the subscription started",
      { subscribedAtMs: nowMs - 3 * DAY_MS },
      counted(400, { previousDays: [0, 0, 0, 0, 130, 130, 140] }),
      ["quota.forecast mail"],
    ],
    [
      "not when all calls are used",
      { leased: 1000, alerts: [50, 80, 95].map((level) => had("quota.threshold", level)) },
      counted(1000, days(400)),
      ["100 mail"],
    ],
  ])("%s", (_, change, calls, expected) => {
    expect(levels(standing({ leased: 450, ...change }), calls)).toEqual(expected);
  });

  test("says when the calls will be used up", () => {
    const [forecast] = rules.alertsOf(standing({ leased: 450 }), counted(400, days(60)), nowMs);
    expect(forecast?.details).toEqual({
      ...{ service: "radio", plan: "free", month: "2026-11", used: 400, calls_per_month: 1000, calls_per_day: 60 },
      ...{ runs_out_at: "2026-11-21T00:00:00Z", resets_at: "2026-12-01T00:00:00Z" },
    });
  });
});

describe("calls that fail suddenly", () => {
  const slot = (minutesAgo: number, calls: number, failed: number): RecentCalls => ({
    ...{ sinceMs: nowMs - minutesAgo * MINUTE_MS, calls, failed },
  });
  const usual = slot(60, 100, 2);
  test.each<[string, readonly RecentCalls[], Partial<SubscriptionMonth>, readonly string[]]>([
    ["a quarter of 20 calls", [usual, slot(10, 10, 2), slot(0, 10, 3)], {}, ["calls.failing mail"]],
    ["not less than a quarter", [usual, slot(5, 100, 24)], {}, []],
    ["not of fewer than 20 calls", [usual, slot(5, 19, 19)], {}, []],
    ["not without 20 calls before", [slot(60, 19, 0), slot(5, 100, 100)], {}, []],
    ["not if a tenth failed before and a quarter fails now", [slot(60, 100, 10), slot(5, 100, 29)], {}, []],
    ["three times as many as before", [slot(60, 100, 10), slot(5, 100, 30)], {}, ["calls.failing mail"]],
    ["not if they failed a quarter of an hour ago", [usual, slot(15, 100, 50), slot(5, 100, 0)], {}, []],
    ["not twice in six hours", [usual, slot(5, 100, 50)], { alerts: [had("calls.failing", 0, "earlier", 6 * HOUR_MS - 1)] }, []],
    [
      "again after six hours",
      [usual, slot(5, 100, 50)],
      { alerts: [had("calls.failing", 0, "earlier", 6 * HOUR_MS)] },
      ["calls.failing mail"],
    ],
    ["not for a check of another month", [usual, slot(5, 100, 50)], { month: "2026-10" }, []],
  ])("%s", (_, recent, change, expected) => {
    expect(levels(standing({ recent, ...change }), undefined)).toEqual(expected);
  });

  test("are reported with their share and the usual one", () => {
    const [alert] = rules.alertsOf(standing({ recent: [usual, slot(5, 100, 50)] }), undefined, nowMs + MINUTE_MS);
    expect(alert).toEqual({
      ...{ accountId: "a-1", type: "calls.failing", subject: "radio", period: "2026-11-11T00:00:00Z", level: 0, isMailed: true },
      details: { service: "radio", since: "2026-11-10T23:50:00Z", calls: 100, failed: 50, percent: 50, usual_percent: 2 },
    });
  });
});
