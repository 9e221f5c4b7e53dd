// All checks of `quintet doctor`, one after another.
import { loadPlans } from "../../catalogue/plans.ts";
import { ConfigError } from "../../config/environment.ts";
import { createLog } from "../../runtime/log.ts";
import { type Config, readConfig } from "../../server-config.ts";
import { upstreamGroups } from "../../services/registry.ts";
import { checkSources } from "../../services/source-checks.ts";
import type { ServerEdge } from "../server-edge.ts";
import { checkCertificates } from "./certificate-check.ts";
import { checkClocks } from "./clock-check.ts";
import { checkExploreKey } from "./explore-check.ts";
import { type Finding, fail, ok } from "./finding.ts";
import { checkMail } from "./mail-check.ts";
import { checkStores } from "./store-check.ts";
import { checkSystem, readSystemFacts } from "./system-check.ts";
import { upstreamClocks, upstreamFindings } from "./upstream-check.ts";
import { checkWebhooks } from "./webhook-check.ts";

/** Checks the settings and, if none is faulty, everything that the server depends on. */
export async function examine(edge: ServerEdge): Promise<readonly Finding[]> {
  let config: Config;
  try {
    config = readConfig(edge.variables, { workers: edge.cores });
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.faults.map((fault) => fail("settings", fault, "Correct it first: the other checks need valid settings."));
    }
    throw error;
  }
  const { tls, plansPath, outbound, services, mail, explore } = config;
  const plans = loadPlans(plansPath);
  const groups = upstreamGroups(services);
  const [stores, sources, clocks, mailFindings, exploreFindings] = await Promise.all([
    checkStores({ ...config, isNamed: Boolean(edge.variables.QUINTET_DATA_DIR) }, edge.clock),
    checkSources(groups, { outbound, clock: edge.clock, randomness: edge.randomness, log: createLog("silent") }),
    upstreamClocks(groups, outbound, edge.clock),
    mail === undefined ? [] : checkMail(mail),
    explore === undefined ? [] : checkExploreKey({ ...config, explore }, plans, edge.clock),
  ]);
  // Reading the settings has already checked the plan file and the TLS files.
  return [
    ok("settings", "all are valid"),
    ok("plans", `${plans.all.length} plans in ${plansPath ?? "the built-in file"}`),
    ...stores.findings,
    ...upstreamFindings(sources),
    ...[mailFindings].flat(),
    ...exploreFindings,
    ...checkWebhooks(config.webhooks),
    ...checkClocks([...stores.clocks, ...clocks]),
    ...(tls === undefined ? [] : checkCertificates(tls, edge.clock.nowMs())),
    ...checkSystem(readSystemFacts(edge.cores), config),
  ];
}
