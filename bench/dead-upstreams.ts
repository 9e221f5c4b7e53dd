// The environment of a gateway whose upstreams are never asked, or are dead where they are.
const DEAD = "http://127.0.0.1:9";

export const deadUpstreams = {
  QUINTET_RADIO_SRV: "none",
  QUINTET_RADIO_MIRRORS: DEAD,
  QUINTET_COINS_URL: DEAD,
  QUINTET_TOKEN_LISTS: `uniswap=${DEAD}`,
  QUINTET_BITCOIN_CHARTS_URL: DEAD,
  QUINTET_BITCOIN_PRICE_URLS: `coinbase=${DEAD}`,
};
