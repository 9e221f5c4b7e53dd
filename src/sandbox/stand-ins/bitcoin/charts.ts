// A stand-in for blockchain.com's charts, with their quirks: sampled unless the request says otherwise, several points a day for the
// running total, prices stamped with the time at which their day ended, and missing days.
import type { Day } from "../../../services/bitcoin/day.ts";
import { DAY_SECONDS, dayOf } from "../market/days.ts";
import type { StandInResponse } from "../stand-in-server.ts";
import { FIRST_DAY, factsOf, supplyAt } from "./world.ts";

interface Point {
  readonly x: number;
  readonly y: number;
}

// Above this many points, a sampled response leaves some out.
const SAMPLED_POINTS_MAX = 1500;
const YEAR_DAYS = 365;
const SUPPLY_POINTS_PER_DAY = 3;

const error = (message: string): StandInResponse => ({ status: 400, body: JSON.stringify({ status: "error", error: message }) });

const daily = (first: Day, last: Day, value: (day: Day) => number | undefined): Point[] => {
  const points: Point[] = [];
  for (let day = first; day <= last; day += 1) {
    const y = value(day);
    if (y !== undefined) {
      points.push({ x: day * DAY_SECONDS, y });
    }
  }
  return points;
};

function supplyPoints(first: Day, nowSeconds: number, last: Day): Point[] {
  const points: Point[] = [];
  for (let day = first; day <= last; day += 1) {
    for (let part = 0; part < SUPPLY_POINTS_PER_DAY; part += 1) {
      // Blocks are found at any time, never exactly on the hour.
      const x = day * DAY_SECONDS + Math.floor(((part + 0.97) * DAY_SECONDS) / SUPPLY_POINTS_PER_DAY) - 17;
      if (x <= nowSeconds) {
        points.push({ x, y: supplyAt(x / DAY_SECONDS) });
      }
    }
  }
  return points;
}

function pointsOf(chart: string, seed: number, first: Day, last: Day, nowSeconds: number): Point[] | undefined {
  const yesterday = Math.floor(nowSeconds / DAY_SECONDS) - 1;
  const whole = Math.min(last, yesterday);
  switch (chart) {
    case "market-price":
      // A point is the price at its time, so the one at the beginning of a day is the close of the day before.
      return daily(first, Math.min(last, yesterday + 1), (day) => factsOf(seed, day - 1).close);
    case "miners-revenue":
      return daily(first, whole, (day) => factsOf(seed, day).revenueUsd);
    case "estimated-transaction-volume-usd":
      return daily(first, whole, (day) => factsOf(seed, day).volumeUsd);
    case "total-bitcoins":
      return supplyPoints(first, nowSeconds, Math.min(last, yesterday + 1));
    default:
      return undefined;
  }
}

function thinned(points: readonly Point[]): readonly Point[] {
  const step = Math.ceil(points.length / SAMPLED_POINTS_MAX);
  return points.filter((_, index) => index % step === 0);
}

/** Responds to `/charts/NAME?start=2024-01-01&timespan=365days&format=json&sampled=false`. */
export function chartResponse(url: URL, seed: number, nowSeconds: number): StandInResponse {
  const [, chart = ""] = /^\/charts\/([a-z-]+)$/.exec(url.pathname) ?? [];
  const { searchParams } = url;
  const today = Math.floor(nowSeconds / DAY_SECONDS);
  const days =
    searchParams.get("timespan") === "all" ? today : /^(\d+)days?$/.exec(searchParams.get("timespan") ?? `${YEAR_DAYS}days`)?.[1];
  const start = searchParams.get("start");
  if (days === undefined || (start !== null && !/^\d{4}-\d\d-\d\d$/.test(start))) {
    return error("invalid timespan or start");
  }
  const first = Math.max(FIRST_DAY, start === null ? today - Number(days) : dayOf(start));
  const points = pointsOf(chart, seed, first, first + Number(days) - 1, nowSeconds);
  if (points === undefined) {
    return { status: 404, body: JSON.stringify({ status: "not-found", error: "no such chart" }) };
  }
  const values = searchParams.get("sampled") === "false" ? points : thinned(points);
  return { status: 200, body: JSON.stringify({ status: "ok", name: chart, unit: "USD", period: "day", description: "", values }) };
}
