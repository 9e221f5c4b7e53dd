// Reads where the radio directory is and how long to wait for it.
import type { Environment } from "../../config/environment.ts";
import { readUpstreamTimeoutMs } from "../../config/outbound.ts";

export interface RadioConfig {
  /** The origins of the directory's mirrors, used behind those that DNS names. */
  readonly mirrors: readonly string[];
  /** The DNS SRV name of the mirrors; undefined to not use DNS. */
  readonly srvName: string | undefined;
  /** The longest that one mirror may take to respond, in milliseconds. */
  readonly attemptTimeoutMs: number;
  /** The longest wait for one mirror before the next is queried too, in milliseconds. */
  readonly hedgeMs: number;
  /** The longest that all mirrors together may take, in milliseconds. */
  readonly deadlineMs: number;
  /** How long a response is reused without another request, in milliseconds. */
  readonly freshMs: number;
}

// Most mirror names found in documentation no longer exist; these still did in 2026.
const DEFAULT_MIRRORS = [
  "https://de1.api.radio-browser.info",
  "https://de2.api.radio-browser.info",
  "https://all.api.radio-browser.info",
];

// Nineteen of twenty responses of a good mirror arrive within it.
const HEDGE_MS = 600;

// Where the directory asks programs to look for its mirrors.
const SRV_NAME = "_api._tcp.radio-browser.info";

/** Reads the QUINTET_RADIO variables. */
export function readRadioConfig(environment: Environment): RadioConfig {
  const mirrors = environment.urls(
    "QUINTET_RADIO_MIRRORS",
    DEFAULT_MIRRORS,
    "The mirrors of the radio directory, separated by commas. If you set it, only these are used; otherwise first those that DNS names.",
  );
  const deadlineMs = readUpstreamTimeoutMs(environment);
  return {
    mirrors,
    srvName: mirrors === DEFAULT_MIRRORS ? SRV_NAME : undefined,
    attemptTimeoutMs: deadlineMs / 2,
    hedgeMs: HEDGE_MS,
    deadlineMs,
    freshMs: environment.integer(
      "QUINTET_RADIO_FRESH_MS",
      60_000,
      { min: 0, max: 3_600_000 },
      "How long a response from the radio directory is reused without another request, in milliseconds.",
    ),
  };
}
