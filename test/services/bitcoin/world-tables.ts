// The stand-ins' data by date, up to 2026-11-20, for the tests' own computation. The transaction values have gaps.
import { factsOf, supplyAt } from "../../../src/sandbox/stand-ins/bitcoin/stand-ins.ts";
import { dayOf } from "../../../src/sandbox/stand-ins/market/days.ts";
import { type ByDate, datesBack } from "./oracle.ts";
import { seed } from "./start-bitcoin.ts";

/** The last day of the tables. */
export const yesterday = "2026-11-20";

const facts = datesBack(yesterday, 4100).map((date) => ({ date, ...factsOf(seed, dayOf(date)) }));

/** Closing prices in US dollars. */
export const closes: ByDate = Object.fromEntries(facts.map(({ date, close }) => [date, close]));

/** Miner revenue, in US dollars. */
export const revenues: ByDate = Object.fromEntries(facts.map(({ date, revenueUsd }) => [date, revenueUsd]));

/** Transaction value, in US dollars. */
export const volumes: ByDate = Object.fromEntries(
  facts.flatMap(({ date, volumeUsd }) => (volumeUsd === undefined ? [] : [[date, volumeUsd]])),
);

/** Coins, from the chart, whose last point of a day is a little before the day's end. */
export const supplies: ByDate = Object.fromEntries(
  facts.map(({ date }) => [date, supplyAt((Math.floor((dayOf(date) + 2.97 / 3) * 86_400) - 17) / 86_400)]),
);
