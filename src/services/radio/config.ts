// Reads where the radio directory is and how long to wait for it.
import type { Environment } from "../../config/environment.ts";

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

/** Reads the QUINTET_RADIO variables. */
export function readRadioConfig(environment: Environment): RadioConfig {
  const srvName = environment.text(
    "QUINTET_RADIO_SRV",
    "_api._tcp.radio-browser.info",
    "The DNS SRV name under which mirrors of the radio directory are found, or `none` to use the configured list alone.",
  );
  if (srvName !== "none" && !/^_[a-z0-9-]+\._tcp(\.[a-z0-9-]+){2,}$/i.test(srvName)) {
    environment.fault("QUINTET_RADIO_SRV", `must look like _service._tcp.example.org, or be none, not "${srvName}"`);
  }
  const deadlineMs = environment.integer(
    "QUINTET_RADIO_DEADLINE_MS",
    8000,
    { min: 100, max: 600_000 },
    "The longest that all mirrors of the radio directory together may take, in milliseconds. One mirror may take half of it.",
  );
  return {
    mirrors: environment.urls(
      "QUINTET_RADIO_MIRRORS",
      DEFAULT_MIRRORS,
      "The mirrors of the radio directory, separated by commas. They are used when those that DNS names fail, or when it names none.",
    ),
    srvName: srvName === "none" ? undefined : srvName,
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
