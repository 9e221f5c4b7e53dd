// The price records of the sandbox's source: one about every five minutes, at a different second for each token, with some lost.
// The current price is at most a few seconds old.
import { numberOf } from "../market/assets.ts";
import { DAY_SECONDS, dayOf } from "../market/days.ts";
import { firstDayOf, priceAt } from "../market/market.ts";
import type { SandboxToken } from "./catalogue.ts";

export interface SandboxRecord {
  readonly price: number;
  /** Unix seconds. */
  readonly timestamp: number;
}

const CADENCE_SECONDS = 300;
const CURRENT_CADENCE_SECONDS = 4;
/** The source has records from this day on. */
const BEGIN_DAY = dayOf("2011-01-01");
/** One record in this many is lost. */
const LOSS_ONE_IN = 40;

/**
 * The current price of a token: a record of the last few seconds, at the same second for all tokens. Undefined if the token is
 * not traded then.
 */
export function currentRecord(token: SandboxToken, seed: number, nowSeconds: number): SandboxRecord | undefined {
  const timestamp = nowSeconds - (nowSeconds % CURRENT_CADENCE_SECONDS);
  const isTraded = timestamp >= firstSeconds(token) && timestamp <= (token.endsSeconds ?? timestamp);
  return isTraded ? { price: priceAt(token.asset, seed, timestamp), timestamp } : undefined;
}

/**
 * The record of a token that is nearest to a given time, at most `widthSeconds` away from it and not after `nowSeconds`; undefined if
 * there is none.
 */
export function nearestRecord(
  token: SandboxToken,
  seed: number,
  { atSeconds, widthSeconds, nowSeconds }: { atSeconds: number; widthSeconds: number; nowSeconds: number },
): SandboxRecord | undefined {
  const tokenSeed = numberOf(token.id, seed);
  const begin = firstSeconds(token);
  const lastSeconds = Math.min(nowSeconds, token.endsSeconds ?? nowSeconds);
  const latest = Math.floor((Math.min(atSeconds, lastSeconds) - (tokenSeed % CADENCE_SECONDS)) / CADENCE_SECONDS);
  let found: number | undefined;
  // A record is occasionally lost, but rarely two in a row: checking a few on each side is enough.
  for (let slot = latest - 5; slot <= latest + 5; slot += 1) {
    const at = slot * CADENCE_SECONDS + (tokenSeed % CADENCE_SECONDS);
    const exists = at >= begin && at <= lastSeconds && (tokenSeed ^ Math.imul(slot, 0x9e3779b1)) >>> 0 >= 2 ** 32 / LOSS_ONE_IN;
    const isNearer = found === undefined || Math.abs(at - atSeconds) < Math.abs(found - atSeconds);
    if (exists && isNearer) {
      found = at;
    }
  }
  return found === undefined || Math.abs(found - atSeconds) > widthSeconds
    ? undefined
    : { price: priceAt(token.asset, seed, found), timestamp: found };
}

const firstSeconds = ({ asset }: SandboxToken): number => Math.max(BEGIN_DAY, firstDayOf(asset)) * DAY_SECONDS;
