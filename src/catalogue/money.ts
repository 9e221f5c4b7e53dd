// Amounts of money, formatted in the same way for all languages.

// The same currencies as in browsers, from the Unicode CLDR. Intl is not used: it loads the tables of all languages and slows the start.
const CURRENCIES_WITHOUT_DECIMALS =
  "AFN ALL BIF CLP COP DJF GNF HUF IDR IQD IRR ISK JPY KMF KPW KRW LAK LBP MGA MMK PKR PYG RWF SLL SOS SYP UGX UYI VND VUV XAF XOF XPF YER";
const DECIMALS: ReadonlyMap<string, number> = new Map([
  ...CURRENCIES_WITHOUT_DECIMALS.split(" ").map((currency) => [currency, 0] as const),
  ...["BHD", "JOD", "KWD", "LYD", "OMR", "TND"].map((currency) => [currency, 3] as const),
  ...["CLF", "UYW"].map((currency) => [currency, 4] as const),
]);

/** How many decimal places a currency has: 2 for EUR. */
export const decimalsOf = (currency: string): number => DECIMALS.get(currency) ?? 2;

/** `4.37 EUR`, for 437 in the currency's minor unit. */
export function moneyText(minor: number, currency: string): string {
  const decimals = decimalsOf(currency);
  return `${(minor / 10 ** decimals).toFixed(decimals)} ${currency}`;
}
