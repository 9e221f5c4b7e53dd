// Invents the recorded prices of the sandbox's tokens: always the same for the same seed, token and time. A record is made about
// every five minutes, at another second for each token, and now and then one is lost.
import { seeded } from "../../../upstream/stand-in/seeded.ts";
import type { SandboxToken } from "./catalogue.ts";

/** One recorded price. */
export interface SandboxRecord {
  readonly price: number;
  /** Unix seconds. */
  readonly timestamp: number;
}

const CADENCE_SECONDS = 300;
const BEGIN_SECONDS = Date.UTC(2020, 0, 1) / 1000;
/** One record in this many is lost. */
const LOSS_ONE_IN = 40;
/** The price is a sum of waves of these lengths: a year and a half, two months, nine days, and a day. */
const WAVE_DAYS = [547, 61, 9, 1];

/** A number for a text and a seed; texts that differ a little give unrelated numbers. */
export function numberOf(text: string, seed: number): number {
  let hash = seed ^ 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/**
 * The record of a token that is nearest to a moment, at most `widthSeconds` away from it and not after `nowSeconds`; undefined
 * where there is none.
 */
export function nearestRecord(
  token: SandboxToken,
  seed: number,
  { momentSeconds, widthSeconds, nowSeconds }: { momentSeconds: number; widthSeconds: number; nowSeconds: number },
): SandboxRecord | undefined {
  const tokenSeed = numberOf(token.id, seed);
  const lastSeconds = Math.min(nowSeconds, token.endsSeconds ?? nowSeconds);
  const latest = Math.floor((Math.min(momentSeconds, lastSeconds) - (tokenSeed % CADENCE_SECONDS)) / CADENCE_SECONDS);
  let found: number | undefined;
  // A record is lost now and then, two in a row seldom: a few on each side are enough to look at.
  for (let slot = latest - 5; slot <= latest + 5; slot += 1) {
    const at = slot * CADENCE_SECONDS + (tokenSeed % CADENCE_SECONDS);
    const there =
      at >= BEGIN_SECONDS && at <= lastSeconds && (tokenSeed ^ Math.imul(slot, 0x9e3779b1)) >>> 0 >= 2 ** 32 / LOSS_ONE_IN;
    const nearer = found === undefined || Math.abs(at - momentSeconds) < Math.abs(found - momentSeconds);
    if (there && nearer) {
      found = at;
    }
  }
  return found === undefined || Math.abs(found - momentSeconds) > widthSeconds
    ? undefined
    : { price: priceAt(token, seed, found), timestamp: found };
}

function priceAt({ price, movement }: SandboxToken, seed: number, atSeconds: number): number {
  // Tokens around the same price are one asset on several chains, and move together.
  const random = seeded(numberOf(String(price), seed));
  let wave = 0;
  for (const days of WAVE_DAYS) {
    // Shorter waves are lower, as the square roots of their lengths.
    wave += Math.sqrt(days / 547) * Math.sin(2 * Math.PI * (atSeconds / (days * 86_400) + random()));
  }
  return Number((price * Math.exp(movement * wave)).toPrecision(10));
}
