// Checks whether visitors can use the key in QUINTET_EXPLORE_KEY.
import type { Plans } from "../../catalogue/plans.ts";
import { publicKeyFaults } from "../../guard/keys/public-key-check.ts";
import type { Clock } from "../../runtime/clock.ts";
import { hashSecret } from "../../runtime/secret-hash.ts";
import type { Config } from "../../server-config.ts";
import { inspectKey } from "../../store/inspect.ts";
import { type Finding, ok, reasonOf, warn } from "./finding.ts";

const SUBJECT = "explore key";

interface ExploreCheckConfig extends Pick<Config, "dataDir" | "database"> {
  readonly explore: NonNullable<Config["explore"]>;
}

/** The findings, which do not contain the key. */
export async function checkExploreKey(config: ExploreCheckConfig, plans: Plans, clock: Clock): Promise<readonly Finding[]> {
  const { key, callsPerDay } = config.explore;
  try {
    const credential = await inspectKey(config, hashSecret(key), clock);
    const faults = publicKeyFaults(credential, { plans, callsPerDay, nowMs: clock.nowMs() });
    return faults.length === 0
      ? [ok(SUBJECT, "may call every service")]
      : faults.map((fault) =>
          warn(SUBJECT, fault, "Until this is fixed, visitors must sign in to call what this key cannot call."),
        );
  } catch (error) {
    return [warn(SUBJECT, `cannot be looked up: ${reasonOf(error)}`, "Fix the database first.")];
  }
}
