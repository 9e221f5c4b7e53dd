// Numbers and money as the user's language writes them, and the names of the services.
import { SERVICES } from "../content/services.ts";

const NUMBER = new Intl.NumberFormat();

/** `1,234` */
export const formatNumber = (value: number | bigint): string => NUMBER.format(value);

/** `1 call`, `1,234 calls`. `one` is the singular of a noun with a regular plural. */
export const formatCount = (count: number, one: string): string => `${formatNumber(count)} ${one}${count === 1 ? "" : "s"}`;

const SHORT = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });

/** `1.2K`, `3.4M`: for axes and tiles. */
export const formatShort = (value: number): string => SHORT.format(value);

// Rounded down: a quota with one call left is not used up.
const SHARE_USED = new Intl.NumberFormat(undefined, { style: "percent", roundingMode: "floor" });
const SMALL_SHARE_USED = new Intl.NumberFormat(undefined, { style: "percent", roundingMode: "floor", maximumFractionDigits: 1 });
const SMALL = 0.1;
const SHARE = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
const TINY_SHARE = new Intl.NumberFormat(undefined, { style: "percent", maximumSignificantDigits: 1 });
const TINY = 0.001;

/** How much of a quota is used, from 0 to 1: `94%`, `1.9%`. */
export const formatShareUsed = (share: number): string => (share < SMALL ? SMALL_SHARE_USED : SHARE_USED).format(share);

/** A share, from 0 to 1: `1.4%`, `0.02%`. */
export const formatShare = (share: number): string => (share > 0 && share < TINY ? TINY_SHARE : SHARE).format(share);

const MS_PER_SECOND = 1000;
const TENTHS_BELOW_MS = 10;
const WHOLE = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const TENTHS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** How long a call takes: `0.4 ms`, `118 ms`, `1.2 s`. */
export const formatLatency = (ms: number): string =>
  ms >= MS_PER_SECOND ? `${TENTHS.format(ms / MS_PER_SECOND)} s` : `${(ms < TENTHS_BELOW_MS ? TENTHS : WHOLE).format(ms)} ms`;

/** `4.37 €` or `4 €`, for 437 or 400 in the currency's minor unit. */
export function formatMoney(minor: number, currency: string): string {
  const format = new Intl.NumberFormat(undefined, { style: "currency", currency, trailingZeroDisplay: "stripIfInteger" });
  return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** A plan's name as pages show it: `pro` → `Pro`. */
export const planTitle = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** The title of a service on the site: `token-price` → `Token prices`. */
export const serviceTitle = (service: string): string => SERVICES.find(({ name }) => name === service)?.title ?? service;
