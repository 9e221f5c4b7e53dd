// The sandbox's market: the price of an asset at any second, always the same for the same seed. A day's open and close lie between
// the known prices; within the day the price changes every few seconds, and stays between the day's low and high. Nothing is
// stored: prices are computed on demand. Pure.
import { seeded } from "../seeded.ts";
import type { Asset } from "./assets.ts";
import { between, DAY_SECONDS } from "./days.ts";

/** An asset's day in US dollars. */
export interface Candle {
  readonly open: number;
  readonly close: number;
  readonly low: number;
  readonly high: number;
}

/** The random numbers of an asset's day, each in [0, 1). */
export function drawsOf(
  { number }: Asset,
  seed: number,
  day: number,
): Readonly<Record<"fees" | "low" | "high" | "volume", number>> {
  const draw = seeded(seed ^ number ^ Math.imul(day, 2_654_435_761));
  return { fees: draw(), low: draw(), high: draw(), volume: draw() };
}

// The lengths in seconds of the waves within a day, and the share of each. The shortest is what a person watching sees.
const WAVES: readonly (readonly [seconds: number, share: number])[] = [
  [14_400, 0.46],
  [3600, 0.24],
  [900, 0.14],
  [180, 0.08],
  [40, 0.05],
  [8, 0.03],
];
/** A day begins and ends on its open and close: the waves grow within this share of the day from either end. */
const EDGE_SHARE = 0.05;
/** The furthest that a day's low and high can be from its open and close, as a share of the price. */
const EXTREMES_SHARE_MAX = 0.02;

function closeOn({ number, prices, movement }: Asset, seed: number, day: number): number {
  const phase = number % 628;
  const wave = Math.sin(day / 9 + phase) * 0.03 + Math.sin(day / 31 + phase) * 0.05;
  const noise = (seeded(seed + number + day)() - 0.5) * 0.03;
  return rounded(between(prices, Math.max(day, firstDayOf({ prices })), "logarithmic") * Math.exp(movement * (wave + noise)));
}

// Rounds to the cent, or to six digits if that is finer.
const rounded = (usd: number): number => (usd < 100 ? Number(usd.toPrecision(6)) : Math.round(usd * 100) / 100);

export const firstDayOf = ({ prices }: Pick<Asset, "prices">): number => prices[0]?.[0] ?? Number.POSITIVE_INFINITY;

/** An asset's day. Days before it was first traded are like the first. */
export function candleOf(asset: Asset, seed: number, day: number): Candle {
  const open = closeOn(asset, seed, day - 1);
  const close = closeOn(asset, seed, day);
  const { low, high } = drawsOf(asset, seed, day);
  const room = EXTREMES_SHARE_MAX * asset.movement;
  return {
    open,
    close,
    low: rounded(Math.min(open, close) * (1 - low * room)),
    high: rounded(Math.max(open, close) * (1 + high * room)),
  };
}

/** The price of an asset at a time in Unix seconds. */
export function priceAt(asset: Asset, seed: number, atSeconds: number): number {
  const day = Math.floor(atSeconds / DAY_SECONDS);
  const share = atSeconds / DAY_SECONDS - day;
  const { open, close, low, high } = candleOf(asset, seed, day);
  const edge = Math.min(1, Math.min(share, 1 - share) / EDGE_SHARE);
  const wave = edge * WAVES.reduce((sum, [seconds, part]) => sum + part * noiseAt(asset, seed, atSeconds / seconds, seconds), 0);
  const room = wave < 0 ? Math.log(Math.min(open, close) / low) : Math.log(high / Math.max(open, close));
  return rounded(open ** (1 - share) * close ** share * Math.exp(wave * room));
}

// A number from -1 to 1, random for each whole `at`, with a smooth transition from one to the next.
function noiseAt({ number }: Asset, seed: number, at: number, salt: number): number {
  const whole = Math.floor(at);
  const part = at - whole;
  const drawn = (index: number): number => seeded(Math.imul(seed ^ number ^ salt, 0x9e3779b1) + index)() * 2 - 1;
  const smooth = part * part * (3 - 2 * part);
  return drawn(whole) * (1 - smooth) + drawn(whole + 1) * smooth;
}
