// Numbers and money as the reader's language writes them, and the names of the services.
import { SERVICES } from "../content/services.ts";

const NUMBER = new Intl.NumberFormat();

/** `1,234` */
export const formatNumber = (value: number): string => NUMBER.format(value);

/** `4.37 €`, of 437 in the currency's minor unit. */
export function formatMoney(minor: number, currency: string): string {
  const format = new Intl.NumberFormat(undefined, { style: "currency", currency });
  return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** The title of a service on the site: `token-price` → `Token prices`. */
export const serviceTitle = (service: string): string => SERVICES.find(({ name }) => name === service)?.title ?? service;
