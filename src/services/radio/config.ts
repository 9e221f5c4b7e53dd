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
  const config = {
    mirrors: environment.urls(
      "QUINTET_RADIO_MIRRORS",
      DEFAULT_MIRRORS,
      "The mirrors of the radio directory, separated by commas. They are used when those that DNS names fail, or when it names none.",
    ),
    srvName: srvName === "none" ? undefined : srvName,
    attemptTimeoutMs: environment.integer(
      "QUINTET_RADIO_ATTEMPT_TIMEOUT_MS",
      4000,
      { min: 100, max: 60_000 },
      "The longest that one mirror of the radio directory may take to respond, in milliseconds.",
    ),
    hedgeMs: environment.integer(
      "QUINTET_RADIO_HEDGE_MS",
      600,
      { min: 50, max: 60_000 },
      "The longest wait for one mirror of the radio directory before the next is queried too, in milliseconds.",
    ),
    deadlineMs: environment.integer(
      "QUINTET_RADIO_DEADLINE_MS",
      8000,
      { min: 100, max: 60_000 },
      "The longest that all mirrors of the radio directory together may take, in milliseconds.",
    ),
    freshMs: environment.integer(
      "QUINTET_RADIO_FRESH_MS",
      60_000,
      { min: 0, max: 3_600_000 },
      "How long a response from the radio directory is reused without another request, in milliseconds.",
    ),
  };
  if (config.attemptTimeoutMs > config.deadlineMs) {
    environment.fault("QUINTET_RADIO_ATTEMPT_TIMEOUT_MS", "must not be greater than QUINTET_RADIO_DEADLINE_MS");
  }
  return config;
}
