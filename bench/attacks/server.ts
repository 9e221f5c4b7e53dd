// The gateway in its own process, with five customers. Its arguments are the origins of the sources:
// of prices, of token lists, and of everything else.
import { tuneToLoad } from "../../src/runtime/v8-flags.ts";
import { startBenchGateway } from "../gateway.ts";
import { ready } from "../ready.ts";

const [, , prices = "", lists = "", origin = ""] = process.argv;
const CUSTOMERS = 5;

tuneToLoad();
ready(
  await startBenchGateway(
    {
      QUINTET_WORKERS: "1",
      QUINTET_COINS_URL: prices,
      QUINTET_TOKEN_LISTS: ["a", "b", "c", "d", "e"].map((list) => `${list}=${lists}/list-${list}`).join(","),
      QUINTET_RADIO_MIRRORS: origin,
      QUINTET_BITCOIN_CHARTS_URL: origin,
      QUINTET_BITCOIN_CHAIN_URL: origin,
      QUINTET_BITCOIN_PRICE_URLS: `coinbase=${origin},kraken=${origin},binance=${origin},blockchain.com=${origin}`,
    },
    CUSTOMERS,
  ),
);
