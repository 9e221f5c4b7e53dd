// Popular names of tokens that lists call by another name, and words in a query that add nothing to its meaning.
import { isOneEditAway } from "../../../runtime/one-edit.ts";
import { wordsOf } from "./words.ts";

// A short name with one letter changed is often another name.
const POPULAR_LETTERS_MIN = 5;

/**
 * Popular names, in words, also in Chinese, Japanese and Russian, and the symbols of the tokens that they mean, to the letter, best
 * first: the first one on the chain in question is meant. They come before tokens that have such a symbol or name by chance.
 */
export const POPULAR_NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  [
    {
      names: ["bitcoin", "btc", "wrapped bitcoin", "wrapped btc", "比特币", "比特幣", "ビットコイン", "биткоин", "биткойн"],
      symbols: ["wbtc", "cbbtc", "btcb", "btc.b", "tbtc"],
    },
    { names: ["coinbase bitcoin", "coinbase btc"], symbols: ["cbbtc"] },
    { names: ["eth", "ether"], symbols: ["eth", "weth"] },
    {
      names: [
        "ethereum",
        "wrapped eth",
        "wrapped ethereum",
        "以太坊",
        "以太币",
        "以太幣",
        "イーサリアム",
        "イーサ",
        "эфириум",
        "эфир",
      ],
      symbols: ["weth"],
    },
    { names: ["staked eth", "staked ether", "lido eth", "lido staked eth", "lido staked ether"], symbols: ["steth", "wsteth"] },
    { names: ["coinbase eth", "coinbase staked eth"], symbols: ["cbeth"] },
    { names: ["bnb", "binance coin", "币安币", "幣安幣", "バイナンスコイン", "бнб"], symbols: ["bnb", "wbnb"] },
    { names: ["polygon", "ポリゴン", "полигон"], symbols: ["pol", "wpol"] },
    { names: ["matic", "马蹄币"], symbols: ["matic", "pol", "wpol", "wmatic"] },
    { names: ["avax", "avalanche", "雪崩", "アバランチ", "аваланч"], symbols: ["avax", "wavax"] },
    { names: ["sol", "solana", "索拉纳", "ソラナ", "солана"], symbols: ["sol", "wsol"] },
    { names: ["gnosis"], symbols: ["gno"] },
    { names: ["xdai"], symbols: ["xdai", "wxdai"] },
    { names: ["usdt", "tether", "泰达币", "泰達幣", "テザー", "тезер", "тетер"], symbols: ["usdt", "usdt0", "usdt.e"] },
    { names: ["circle", "circle usd", "美元币", "美元幣", "usdコイン", "юсдс"], symbols: ["usdc"] },
    { names: ["maker", "makerdao", "メイカー"], symbols: ["mkr"] },
    { names: ["gold"], symbols: ["paxg", "xaut"] },
    { names: ["euro"], symbols: ["eurc", "eure", "eurs"] },
    { names: ["狗狗币", "狗狗幣", "ドージコイン", "догикоин", "додж"], symbols: ["doge"] },
    { names: ["柴犬币", "柴犬幣", "シバイヌ", "柴犬", "шиба", "шиба ину"], symbols: ["shib"] },
    { names: ["瑞波币", "瑞波幣", "リップル", "рипл", "риппл"], symbols: ["xrp"] },
    { names: ["艾达币", "エイダ", "кардано"], symbols: ["ada"] },
    { names: ["莱特币", "ライトコイン", "лайткоин"], symbols: ["ltc"] },
    { names: ["波场", "トロン", "трон"], symbols: ["trx"] },
    { names: ["波卡", "ポルカドット", "полкадот"], symbols: ["dot"] },
    { names: ["チェーンリンク", "чейнлинк"], symbols: ["link"] },
    { names: ["ユニスワップ", "юнисвап"], symbols: ["uni"] },
    { names: ["佩佩", "ペペ", "пепе"], symbols: ["pepe"] },
    { names: ["ダイ", "даи"], symbols: ["dai"] },
  ].flatMap(({ names, symbols }) => names.map((name): [string, readonly string[]] => [wordsOf(name).join(" "), symbols])),
);

/**
 * Coins of chains without such tokens. Unless a list has one, nothing is meant by its symbol, not even what is one letter away, except a
 * token that stands for it.
 */
export const OTHER_COINS: ReadonlySet<string> = new Set(
  (
    "ada algo apt atom bch bsv btg celo cfx cro dash dcr doge dot egld eos etc fil flow hbar hnt icp icx inj iost iota kas kava kda ksm lsk ltc " +
    "luna mina nano near neo okb one ont osmo qtum rune rvn sc stx sui theta tia ton trx vet waves xdc xec xem xlm xmr xrp xtz zec zen zil"
  ).split(" "),
);

/** The popular names that are one typing mistake away. */
export const popularNamesLike = (phrase: string): readonly string[] =>
  phrase.length < POPULAR_LETTERS_MIN
    ? []
    : [...POPULAR_NAMES.keys()].filter((name) => name.length >= POPULAR_LETTERS_MIN && isOneEditAway(phrase, name));

/** Words before the name of a chain. */
export const PREPOSITIONS: ReadonlySet<string> = new Set(["on", "in", "at"]);

/** Words around the name of a chain that add nothing to it. */
export const CHAIN_WORDS: ReadonlySet<string> = new Set([
  ...PREPOSITIONS,
  ...["the", "from", "for", "chain", "network", "mainnet", "blockchain", "l2"],
]);

/** Words that can be left out if no name contains them. */
export const FILLER_WORDS: ReadonlySet<string> = new Set([
  ...CHAIN_WORDS,
  ...["a", "of", "to", "is", "what", "token", "tokens", "coin", "coins", "crypto", "contract", "address", "ca", "price", "ticker"],
  ...["symbol", "native", "erc20", "bep20", "spl", "buy", "swap"],
]);
