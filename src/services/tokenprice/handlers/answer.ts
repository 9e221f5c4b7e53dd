// Turns quotes and samples into messages. Pure.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { PricePointSchema, TokenPriceSchema } from "../../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import type { Quote, Sample, TokenFacts } from "../source/coins-answer.ts";
import type { Token } from "../token-id.ts";

/** Results in the requested order, and the tokens without one. */
export interface Sorted<Result> {
  readonly count: number;
  readonly results: Result[];
  readonly missing: string[];
}

/** Sorts tokens into those that have a result and those that are missing. */
export function sortOut<Result>(tokens: readonly Token[], resultOf: (token: Token) => Result | undefined): Sorted<Result> {
  const results: Result[] = [];
  const missing: string[] = [];
  for (const token of tokens) {
    const result = resultOf(token);
    if (result === undefined) {
      missing.push(token.asked);
    } else {
      results.push(result);
    }
  }
  return { count: results.length, results, missing };
}

const timestampOf = (seconds: number): { seconds: bigint } => ({ seconds: BigInt(seconds) });

/** The facts about a token as fields of a message. Unknown ones are left out. */
export function factsOf({ symbol, decimals, confidence }: TokenFacts): { symbol: string; decimals?: number; confidence?: number } {
  return {
    symbol,
    ...(decimals === undefined ? {} : { decimals }),
    ...(confidence === undefined ? {} : { confidence }),
  };
}

/** A token's price as a message. */
export function tokenPriceOf(token: Token, quote: Quote): MessageInitShape<typeof TokenPriceSchema> {
  return { token: token.asked, price: quote.price, ...factsOf(quote), timestamp: timestampOf(quote.atSeconds) };
}

/** A sample as a message. */
export function pricePointOf({ price, atSeconds }: Sample): MessageInitShape<typeof PricePointSchema> {
  return { timestamp: timestampOf(atSeconds), price };
}
