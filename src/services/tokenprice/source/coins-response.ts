// Parses the price source's responses. Pure. A response with the wrong shape is refused as a whole. Malformed records in a valid response
// are left out, so that one bad record does not cost the other tokens their price; a price of 0 means that it is unknown. quote-filter.ts
// checks whether a price fits the requested time.
import { isJsonObject, type JsonObject } from "../../../runtime/json-object.ts";
import { visibleText } from "../../visible-text.ts";

/** A recorded price. */
export interface Sample {
  /** US dollars, above 0. */
  readonly price: number;
  /** Unix seconds. */
  readonly atSeconds: number;
}

export interface TokenFacts {
  /** Printable, at most 64 characters; empty if there is none. */
  readonly symbol: string;
  readonly decimals: number | undefined;
  /** From 0 to 1. */
  readonly confidence: number | undefined;
}

export interface Quote extends TokenFacts, Sample {}

/** The prices of one token over time. */
export interface Series extends TokenFacts {
  /** Oldest first, one for each time. */
  readonly samples: readonly Sample[];
}

const PRICE_MAX = 1e12;
const SYMBOL_LENGTH_MAX = 64;
const UNIX_SECONDS_MAX = 0xffff_ffff;

// Identifier → value, for those of the requested identifiers that the response names; undefined if it has no usable value for one.
type Answers<Value> = ReadonlyMap<string, Value | undefined>;

/** The prices of the requested identifiers. Throws if the response is not one of `prices/current` or `prices/historical`. */
export function parseQuotes(json: unknown, ids: readonly string[]): Answers<Quote> {
  return parseCoins(json, ids, (coin) => {
    const sample = readSample(coin);
    return sample === undefined ? undefined : { ...readFacts(coin), ...sample };
  });
}

/**
 * The series of the requested identifiers. The first `samplesMax` samples of each token are read. Throws if the response is not one of
 * `chart` or of `batchHistorical`, which gives the confidence with each price.
 */
export function parseSeries(json: unknown, ids: readonly string[], samplesMax: number): Answers<Series> {
  return parseCoins(json, ids, (coin) => {
    const samples = readSamples(coin.prices, samplesMax);
    const first: unknown = Array.isArray(coin.prices) ? coin.prices[0] : undefined;
    const confidence = coin.confidence ?? (isJsonObject(first) ? first.confidence : undefined);
    return samples.length === 0 ? undefined : { ...readFacts({ ...coin, confidence }), samples };
  });
}

function parseCoins<Value>(json: unknown, ids: readonly string[], read: (coin: JsonObject) => Value | undefined): Answers<Value> {
  const coins = isJsonObject(json) ? json.coins : undefined;
  if (!isJsonObject(coins)) {
    throw new Error("there is no object `coins`");
  }
  return new Map(
    ids.filter((id) => Object.hasOwn(coins, id)).map((id) => [id, isJsonObject(coins[id]) ? read(coins[id]) : undefined]),
  );
}

function readSample(value: unknown): Sample | undefined {
  if (!isJsonObject(value)) {
    return undefined;
  }
  const price = readNumber(value.price);
  const atSeconds = readNumber(value.timestamp);
  const isPlausible =
    price !== undefined &&
    price > 0 &&
    price <= PRICE_MAX &&
    atSeconds !== undefined &&
    atSeconds >= 0 &&
    atSeconds <= UNIX_SECONDS_MAX;
  return isPlausible ? { price, atSeconds: Math.floor(atSeconds) } : undefined;
}

function readSamples(value: unknown, samplesMax: number): readonly Sample[] {
  const samples = new Map<number, Sample>();
  for (const element of Array.isArray(value) ? value.slice(0, samplesMax) : []) {
    const sample = readSample(element);
    if (sample !== undefined) {
      samples.set(sample.atSeconds, sample);
    }
  }
  return [...samples.values()].sort((a, b) => a.atSeconds - b.atSeconds);
}

function readFacts(coin: JsonObject): TokenFacts {
  const decimals = readNumber(coin.decimals);
  const confidence = readNumber(coin.confidence);
  return {
    symbol: readSymbol(coin.symbol),
    decimals: decimals !== undefined && Number.isInteger(decimals) && decimals >= 0 && decimals <= 255 ? decimals : undefined,
    confidence: confidence !== undefined && confidence >= 0 && confidence <= 1 ? confidence : undefined,
  };
}

// The source sometimes sends prices and decimals as strings.
function readNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,3})?$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function readSymbol(value: unknown): string {
  const text = typeof value === "string" ? visibleText(value.slice(0, 1000)) : "";
  return Array.from(text).slice(0, SYMBOL_LENGTH_MAX).join("");
}
