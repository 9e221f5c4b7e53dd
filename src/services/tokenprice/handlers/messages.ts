// Turns quotes and samples into messages. Pure.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { PricePointSchema, TokenPriceSchema } from "../../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import type { Quote, Sample, TokenFacts } from "../source/coins-response.ts";
import { canonicalId, type Token } from "../token-id.ts";

/** Results in the requested order, and the tokens without one. */
export interface Sorted<Result> {
  readonly results: Result[];
  readonly missing: string[];
}

/** Separates tokens that have a result from those that are missing. */
export function partitionTokens<Result>(tokens: readonly Token[], resultOf: (token: Token) => Result | undefined): Sorted<Result> {
  const results: Result[] = [];
  const missing: string[] = [];
  for (const token of tokens) {
    const result = resultOf(token);
    if (result === undefined) {
      missing.push(token.requested);
    } else {
      results.push(result);
    }
  }
  return { results, missing };
}

const timestampOf = (seconds: number): { seconds: bigint } => ({ seconds: BigInt(seconds) });

/** How a token was given, and its name for all spellings. */
export const namesOf = ({ requested, id }: Token): { token: string; id: string } => ({ token: requested, id: canonicalId(id) });

/** The facts about a token as fields of a message. Unknown ones are left out. */
export function factsOf({ symbol, decimals, confidence }: TokenFacts): { symbol: string; decimals?: number; confidence?: number } {
  return {
    symbol,
    ...(decimals === undefined ? {} : { decimals }),
    ...(confidence === undefined ? {} : { confidence }),
  };
}

export function tokenPriceOf(token: Token, quote: Quote): MessageInitShape<typeof TokenPriceSchema> {
  return { ...namesOf(token), price: quote.price, ...factsOf(quote), recordedAt: timestampOf(quote.atSeconds) };
}

/** The price that stands for a time, in Unix seconds. */
export function pricePointOf({ price, atSeconds }: Sample, timeSeconds: number): MessageInitShape<typeof PricePointSchema> {
  return { time: timestampOf(timeSeconds), recordedAt: timestampOf(atSeconds), price };
}
