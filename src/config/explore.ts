// Reads the key with which the front page, the reference and Explore call the data services for visitors who are not signed in. The
// operator publishes it.
import type { Environment } from "./environment.ts";

/** The public key, and how many calls one network may make with it. */
export interface ExploreConfig {
  /** The whole key. Everybody can read it in the pages. */
  readonly key: string;
  readonly callsPerMinute: number;
  readonly callsPerDay: number;
}

const KEY_SHAPE = /^qk_(?:live|test)_(?:\d{2})?[0-9A-Za-z]{38}$/;

// So little that one network cannot use up the month of the key's plan.
const CALLS_PER_DAY = 2000;

/** Reads QUINTET_EXPLORE_KEY and QUINTET_EXPLORE_CALLS_PER_MINUTE; undefined without the key. */
export function readExploreConfig(
  environment: Environment,
  { isSandbox }: { readonly isSandbox: boolean },
): ExploreConfig | undefined {
  const name = "QUINTET_EXPLORE_KEY";
  const key = environment.optionalText(
    name,
    "A key that you make public: the front page, the reference and Explore call the data services with it for visitors who are not signed in. Anybody can copy it, so create a separate account for it. It may only call read-only methods. Without it, Explore asks visitors to sign in. `sandbox` creates one automatically.",
  );
  const callsPerMinute = environment.integer(
    "QUINTET_EXPLORE_CALLS_PER_MINUTE",
    120,
    { min: 1, max: 100_000 },
    `How many calls a minute one address may make with QUINTET_EXPLORE_KEY, and at most ${CALLS_PER_DAY} a day: an IPv4 address, or an IPv6 /64. The enclosing IPv4 /24 or IPv6 /56 may make 4 times as many in total, and the enclosing IPv6 /48 may make 16 times as many. All threads of a server count together; each server counts separately.`,
  );
  if (key === undefined) {
    return undefined;
  }
  if (!KEY_SHAPE.test(key)) {
    // The text may be a secret that was pasted by mistake, so it is not repeated.
    environment.fault(name, "must be a complete API key: qk_live_ (qk_test_ in a sandbox) followed by 38 or 40 letters and digits");
    return undefined;
  }
  if (key.startsWith("qk_test_") !== isSandbox) {
    environment.fault(
      name,
      isSandbox ? "must be a sandbox key, qk_test_…" : "must be a key of this server, qk_live_…, not of a sandbox",
    );
    return undefined;
  }
  return { key, callsPerMinute, callsPerDay: CALLS_PER_DAY };
}
