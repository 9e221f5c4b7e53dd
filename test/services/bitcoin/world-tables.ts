// What the stand-ins' world holds, date by date, as the tests' own computation wants it: up to 2026-11-20, the transaction values with
// their gaps.
import { factsOf, supplyAt } from "../../../src/services/bitcoin/stand-in/world.ts";
import { dayOf } from "../../../src/services/stand-in/days.ts";
import { type ByDate, datesBack } from "./oracle.ts";
import { seed } from "./start-bitcoin.ts";

/** The last day of the tables. */
export const yesterday = "2026-11-20";

const facts = datesBack(yesterday, 4100).map((date) => ({ date, ...factsOf(seed, dayOf(date)) }));

/** Closing prices in US dollars. */
export const closes: ByDate = Object.fromEntries(facts.map(({ date, close }) => [date, close]));

/** What miners earned, in US dollars. */
export const revenues: ByDate = Object.fromEntries(facts.map(({ date, revenueUsd }) => [date, revenueUsd]));

/** What was transferred, in US dollars. */
export const volumes: ByDate = Object.fromEntries(
  facts.flatMap(({ date, volumeUsd }) => (volumeUsd === undefined ? [] : [[date, volumeUsd]])),
);

/** Coins, as the chart has them: its last point of a day comes a little before the day's end. */
export const supplies: ByDate = Object.fromEntries(
  facts.map(({ date }) => [date, supplyAt((Math.floor((dayOf(date) + 2.97 / 3) * 86_400) - 17) / 86_400)]),
);
