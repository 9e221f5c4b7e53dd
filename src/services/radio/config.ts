// Reads where the radio directory is and how long it is waited for.
import type { Environment } from "../../config/environment.ts";

/** The radio service's configuration. */
export interface RadioConfig {
  /** The origins of the directory's mirrors, for when DNS does not name any. */
  readonly mirrors: readonly string[];
  /** The DNS SRV name under which the mirrors are found; undefined where they are not looked for. */
  readonly srvName: string | undefined;
  /** The longest that one mirror may take to answer, in milliseconds. */
  readonly attemptTimeoutMs: number;
  /** The longest wait for one mirror before the next is asked too, in milliseconds. */
  readonly hedgeMs: number;
  /** The longest that all mirrors together may take, in milliseconds. */
  readonly deadlineMs: number;
  /** How long an answer is given again without asking, in milliseconds. */
  readonly freshMs: number;
}

// Most names that documents give for the directory's mirrors are gone; these were alive in 2026.
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
    environment.fault("QUINTET_RADIO_SRV", `must be like _service._tcp.example.org, or none, not "${srvName}"`);
  }
  const config = {
    mirrors: environment.urls(
      "QUINTET_RADIO_MIRRORS",
      DEFAULT_MIRRORS,
      "The mirrors of the radio directory, separated by commas, for when DNS names none.",
    ),
    srvName: srvName === "none" ? undefined : srvName,
    attemptTimeoutMs: environment.integer(
      "QUINTET_RADIO_ATTEMPT_TIMEOUT_MS",
      4000,
      { min: 100, max: 60_000 },
      "The longest that one mirror of the radio directory may take to answer, in milliseconds.",
    ),
    hedgeMs: environment.integer(
      "QUINTET_RADIO_HEDGE_MS",
      600,
      { min: 50, max: 60_000 },
      "The longest wait for one mirror of the radio directory before the next is asked too, in milliseconds.",
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
      "How long an answer of the radio directory is given again without asking, in milliseconds.",
    ),
  };
  if (config.attemptTimeoutMs > config.deadlineMs) {
    environment.fault("QUINTET_RADIO_ATTEMPT_TIMEOUT_MS", "must not be over QUINTET_RADIO_DEADLINE_MS");
  }
  return config;
}
