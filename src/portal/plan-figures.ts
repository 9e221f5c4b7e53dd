// Plans' numbers and prices as HTML. Scripts format them for the visitor's language (portal/scripts/numbers.ts).
import { decimalsOf, moneyText } from "../catalogue/money.ts";

/** `1,234` */
export const numberHtml = (value: number): string =>
  `<data value="${value}">${String(value).replace(/\B(?=(\d{3})+$)/g, ",")}</data>`;

/** `4.37 EUR`, for 437 in the currency's minor unit. */
export const moneyHtml = (minor: number, currency: string): string =>
  `<data value="${minor / 10 ** decimalsOf(currency)}" data-currency="${currency}">${moneyText(minor, currency)}</data>`;

export const escapedHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
