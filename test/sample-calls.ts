// A good call of every operation against the sandbox's world: the least that each needs.
import { rulesOf } from "../src/rest/rule.ts";
import { DATA_METHODS } from "./data-services.ts";

/** Parameters as a query has them. */
export type Query = Readonly<Record<string, string>>;

const BITCOIN = { tokens: "coingecko:bitcoin" };
const USDC = { chain: "ethereum", address: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48" };

const SAMPLES: Readonly<Record<string, Query>> = {
  "/quintet.radio.v1.RadioService/Search": {},
  "/quintet.radio.v1.RadioService/ListTopVoted": {},
  "/quintet.radio.v1.RadioService/ListCountries": {},
  "/quintet.radio.v1.RadioService/ListTags": {},
  "/quintet.tokenprice.v1.TokenPriceService/GetPrice": BITCOIN,
  "/quintet.tokenprice.v1.TokenPriceService/GetHistorical": { ...BITCOIN, timestamp: "1760000000" },
  "/quintet.tokenprice.v1.TokenPriceService/GetChart": BITCOIN,
  "/quintet.tokenprice.v1.TokenPriceService/GetChange": BITCOIN,
  "/quintet.tokenprice.v1.TokenPriceService/WatchPrices": BITCOIN,
  "/quintet.tokenlist.v1.TokenListService/GetToken": USDC,
  "/quintet.tokenlist.v1.TokenListService/GetList": { list: "uniswap" },
  "/quintet.tokenlist.v1.TokenListService/ListLists": {},
  "/quintet.tokenlist.v1.TokenListService/SearchTokens": { query: "usd" },
  "/quintet.tokenlist.v1.TokenListService/GetBridges": USDC,
  "/quintet.bitcoin.v1.BitcoinService/GetMayer": {},
  "/quintet.bitcoin.v1.BitcoinService/GetPuell": {},
  "/quintet.bitcoin.v1.BitcoinService/GetNvt": {},
  "/quintet.bitcoin.v1.BitcoinService/GetS2f": {},
  "/quintet.bitcoin.v1.BitcoinService/GetSummary": {},
  "/quintet.bitcoin.v1.BitcoinService/GetHistory": { indicator: "mayer" },
  "/quintet.farkle.v1.FarkleService/Score": { dice: "1,2,3" },
};

/** Something to call. */
export interface SampleCall {
  /** `/quintet.farkle.v1.FarkleService/Score` */
  readonly rpc: string;
  /** `/farkle/v1/score` */
  readonly path: string;
  readonly query: Query;
}

/** A call of each operation there is. `uuid` is that of a station. Throws when there is an operation of which it knows no good call. */
export function sampleCalls(uuid: string): readonly SampleCall[] {
  const samples: Readonly<Record<string, Query>> = { ...SAMPLES, "/quintet.radio.v1.RadioService/GetStation": { uuid } };
  return DATA_METHODS.map(({ path: rpc, desc }) => {
    const query = samples[rpc];
    const [rule] = rulesOf(desc);
    if (query === undefined || rule === undefined) {
      throw new Error(`add a good call of ${rpc} to test/sample-calls.ts`);
    }
    return { rpc, path: rule.template.source, query };
  });
}

/** The UUID of a station that a gateway with the sandbox's world knows. */
export async function stationOf(origin: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(`${origin}/radio/v1/search?limit=1&order=votes&reverse=true`, { headers });
  const { data } = (await response.json()) as { data: { results: readonly { uuid: string }[] } };
  return data.results[0]?.uuid ?? "";
}
