// A stand-in for the DefiLlama coins API, with the quirks that clients must handle: unknown tokens are silently left out, large
// batches lose some, some prices are strings, and points of a chart have their own times.
import type { Clock } from "../../../runtime/clock.ts";
import { plainAddress } from "../../../services/chains/addresses.ts";
import { numberOf } from "../market/assets.ts";
import { DAY_SECONDS, dayOf } from "../market/days.ts";
import { firstDayOf, priceAt } from "../market/market.ts";
import type { StandIn } from "../stand-in.ts";
import { type StandInResponse, startStandIn } from "../stand-in-server.ts";
import { CATALOGUE, createListedTokens, type SandboxToken } from "./catalogue.ts";

// The price records of the sandbox's source: one about every five minutes, at a different second for each token, with some lost.
// The current price is at most a few seconds old.

interface SandboxRecord {
  readonly price: number;
  /** Unix seconds. */
  readonly timestamp: number;
}

const CADENCE_SECONDS = 300;
const CURRENT_CADENCE_SECONDS = 4;
/** The source has records from this day on. */
const BEGIN_DAY = dayOf("2011-01-01");
/** One record in this many is lost. */
const RECORD_LOSS_ONE_IN = 40;

/**
 * The current price of a token: a record of the last few seconds, at the same second for all tokens. Undefined if the token is
 * not traded then.
 */
function currentRecord(token: SandboxToken, seed: number, nowSeconds: number): SandboxRecord | undefined {
  const timestamp = nowSeconds - (nowSeconds % CURRENT_CADENCE_SECONDS);
  const isTraded = timestamp >= firstSeconds(token) && timestamp <= (token.endsSeconds ?? timestamp);
  return isTraded ? { price: priceAt(token.asset, seed, timestamp), timestamp } : undefined;
}

/**
 * The record of a token that is nearest to a given time, at most `widthSeconds` away from it and not after `nowSeconds`; undefined if
 * there is none.
 */
function nearestRecord(
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
    const exists =
      at >= begin && at <= lastSeconds && (tokenSeed ^ Math.imul(slot, 0x9e3779b1)) >>> 0 >= 2 ** 32 / RECORD_LOSS_ONE_IN;
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

interface CoinsStandInOptions {
  /** The same seed gives the same prices. */
  readonly seed: number;
  readonly clock: Clock;
}

// The limits of the real API.
const HISTORICAL_WIDTH_SECONDS = 6 * 3600;
const CHART_POINTS_MAX = 500;
const URL_CHARACTERS_MAX = 9000;
const COINS_MAX = 200;
// A response to a larger batch lacks some records, as the real source's does.
const COMPLETE_BATCH_MAX = 10;
const LOSS_ONE_IN = 6;

/** Starts the stand-in on a free port of 127.0.0.1. */
export function startCoinsStandIn({ seed, clock }: CoinsStandInOptions): Promise<StandIn> {
  const listed = createListedTokens(seed);
  const tokenOf = (coin: string): SandboxToken | undefined => {
    const id = storedId(coin);
    return CATALOGUE.get(id) ?? listed(id);
  };
  return startStandIn({
    name: "coins",
    clock,
    handle: (url) => responseTo(url, { seed, tokenOf, nowSeconds: Math.floor(clock.nowMs() / 1000) }),
  });
}

interface World {
  readonly seed: number;
  readonly nowSeconds: number;
  readonly tokenOf: (coin: string) => SandboxToken | undefined;
}

function responseTo(url: URL, world: World): StandInResponse {
  if (url.pathname.length + url.search.length > URL_CHARACTERS_MAX) {
    return refusal(414, "URI Too Long");
  }
  if (url.pathname === "/batchHistorical") {
    return batchResponse(url.searchParams.get("coins") ?? "", world);
  }
  const [, ...parts] = url.pathname.split("/").map(decodeURIComponent);
  const route = parts.slice(0, -1).join("/");
  const coins = [...new Set(parts.at(-1)?.split(",") ?? [])];
  if (coins.length > COINS_MAX) {
    return refusal(400, `more than ${COINS_MAX} coins`);
  }
  const historical = /^prices\/historical\/(\d{1,10})$/.exec(route);
  if (route === "prices/current") {
    const expiresSeconds = Math.ceil(world.nowSeconds / 300) * 300 + 20;
    const recordOf = (token: SandboxToken) => currentRecord(token, world.seed, world.nowSeconds);
    return pricesResponse(coins, world, recordOf, { expires: new Date(expiresSeconds * 1000).toUTCString() });
  }
  if (historical !== null) {
    const lookup = { atSeconds: Number(historical[1]), widthSeconds: HISTORICAL_WIDTH_SECONDS, nowSeconds: world.nowSeconds };
    const recordOf = (token: SandboxToken) => nearestRecord(token, world.seed, lookup);
    return pricesResponse(coins, world, recordOf, { "cache-control": "max-age=3600" });
  }
  return route === "chart" ? chartResponse(coins, world, url.searchParams) : refusal(404, "Not Found");
}

const refusal = (status: number, message: string): StandInResponse => ({ status, body: JSON.stringify({ message }) });

function pricesResponse(
  coins: readonly string[],
  { seed, tokenOf }: World,
  recordOf: (token: SandboxToken) => SandboxRecord | undefined,
  headers: Readonly<Record<string, string>>,
): StandInResponse {
  const found: Record<string, unknown> = {};
  for (const coin of coins) {
    const token = tokenOf(coin);
    const record = token === undefined ? undefined : recordOf(token);
    const isLost = coins.length > COMPLETE_BATCH_MAX && numberOf(coin, seed + 1) % LOSS_ONE_IN === 0;
    if (token !== undefined && record !== undefined && !isLost) {
      found[coin] = { ...factsOf(token), price: priceOf(token, record), timestamp: record.timestamp };
    }
  }
  return { status: 200, headers, body: JSON.stringify({ coins: found }) };
}

// The nearest record to each time, out of order, with some duplicates and without the coins' decimals.
function batchResponse(text: string, { seed, nowSeconds, tokenOf }: World): StandInResponse {
  const timestampsOfCoins = timestampsOf(text);
  if (timestampsOfCoins === undefined) {
    return refusal(400, "SyntaxError: the value of coins is not valid JSON");
  }
  if (timestampsOfCoins.length === 0) {
    return refusal(400, "no coins queried");
  }
  const found: Record<string, unknown> = {};
  for (const [coin, timestamps] of timestampsOfCoins) {
    const token = tokenOf(coin);
    const prices = timestamps.toReversed().flatMap((atSeconds) => {
      const lookup = { atSeconds, widthSeconds: HISTORICAL_WIDTH_SECONDS, nowSeconds };
      const record = token === undefined ? undefined : nearestRecord(token, seed, lookup);
      return token === undefined || record === undefined
        ? []
        : [{ timestamp: record.timestamp, price: priceOf(token, record), ...confidenceOf(token) }];
    });
    if (token !== undefined && prices.length > 0) {
      found[coin] = { symbol: token.symbol, prices };
    }
  }
  return { status: 200, headers: { "cache-control": "max-age=3600" }, body: JSON.stringify({ coins: found }) };
}

function timestampsOf(text: string): readonly (readonly [string, readonly number[]])[] | undefined {
  try {
    return Object.entries(JSON.parse(text) as Readonly<Record<string, readonly number[]>>);
  } catch {
    return undefined;
  }
}

function chartResponse(coins: readonly string[], { seed, nowSeconds, tokenOf }: World, query: URLSearchParams): StandInResponse {
  const unknown = [...query.keys()].find((name) => !["start", "end", "span", "period", "searchWidth"].includes(name));
  if (unknown !== undefined) {
    return refusal(400, `unknown query parameter ${unknown}`);
  }
  if (query.has("start") && query.has("end")) {
    return refusal(400, "use either start or end parameter, not both");
  }
  const span = Math.max(1, Number(query.get("span") ?? 0));
  if (coins.length * span > CHART_POINTS_MAX) {
    return refusal(400, `coins * span = ${coins.length * span} exceeds the maximum of ${CHART_POINTS_MAX}`);
  }
  const period = secondsOf(query.get("period") ?? "1d");
  const width = query.has("searchWidth") ? secondsOf(query.get("searchWidth") ?? "") : period / 10;
  const edge = Number(query.get("start") ?? query.get("end") ?? nowSeconds);
  if (!(period > 0 && width >= 0 && edge >= 0 && Number.isInteger(span))) {
    return refusal(400, "start, end, span, period and searchWidth must be numbers");
  }
  const first = query.has("start") ? edge : edge - (span - 1) * period;
  const found: Record<string, unknown> = {};
  for (const coin of coins) {
    const token = tokenOf(coin);
    const records = new Map<number, SandboxRecord>();
    for (let point = 0; token !== undefined && point < span; point += 1) {
      const record = nearestRecord(token, seed, { atSeconds: first + point * period, widthSeconds: width, nowSeconds });
      if (record !== undefined) {
        records.set(record.timestamp, record);
      }
    }
    if (token !== undefined && records.size > 0) {
      const prices = [...records.values()].map((record) => ({ timestamp: record.timestamp, price: priceOf(token, record) }));
      found[coin] = { ...factsOf(token), prices };
    }
  }
  return { status: 200, headers: { "cache-control": "max-age=3600" }, body: JSON.stringify({ coins: found }) };
}

// Chains and EVM addresses are case-insensitive; slugs and other addresses match exactly.
function storedId(coin: string): string {
  const colon = coin.indexOf(":");
  const chain = coin
    .slice(0, colon)
    .toLowerCase()
    .replace(/^gnosis$/, "xdai");
  const address = coin.slice(colon + 1);
  return `${chain}:${plainAddress(address)}`;
}

const factsOf = (token: SandboxToken): Record<string, unknown> => ({
  ...(token.decimals === undefined ? {} : { decimals: token.decimals }),
  symbol: token.symbol,
  ...confidenceOf(token),
});

const confidenceOf = ({ confidence }: SandboxToken): Record<string, unknown> =>
  confidence === null ? {} : { confidence: confidence ?? 0.99 };

const priceOf = ({ priceAsString }: SandboxToken, { price }: SandboxRecord): number | string =>
  priceAsString === true ? String(price) : price;

// The first unit found in this order counts, and the rest must be a number; without a unit, the number is in seconds.
function secondsOf(text: string): number {
  const lower = text.toLowerCase();
  for (const [unit, seconds] of Object.entries({ w: 604_800, d: 86_400, h: 3600, m: 60 })) {
    if (lower.includes(unit)) {
      return (lower === unit ? 1 : Number(lower.replace(unit, ""))) * seconds;
    }
  }
  return Number(lower);
}
