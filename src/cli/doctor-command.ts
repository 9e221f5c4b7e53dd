// `quintet doctor`: whether this machine can serve with these settings, and what to do where it cannot.
import type { Command } from "commander";
import { loadPlans } from "../catalogue/plans.ts";
import { ConfigError } from "../config/environment.ts";
import { type Config, readConfig } from "../server-config.ts";
import { upstreamGroups } from "../services/upstream-groups.ts";
import { CommandRefused } from "./command-refused.ts";
import { checkCertificates } from "./doctor/certificate-check.ts";
import { checkClocks } from "./doctor/clock-check.ts";
import { type Finding, fail, ok } from "./doctor/finding.ts";
import { checkStores } from "./doctor/store-check.ts";
import { checkSystem, readSystemFacts } from "./doctor/system-check.ts";
import { checkUpstreams } from "./doctor/upstream-check.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { json } from "./output.ts";
import type { ServerEdge } from "./server-edge.ts";

const UPSTREAM_TIMEOUT_MS = 10_000;

const NOTES = `
Looks at the settings, the plan file, the database and Redis, the upstreams, the clock, the certificates and the system's limits, with the
environment that the server has, while it runs or before. It changes nothing. Each line is ok, warn or fail, with what to do; the exit code is 1
where one fails.
`;

/** Adds the command. */
export function addDoctorCommand(program: Command, edge: ServerEdge): void {
  program
    .command("doctor")
    .description("Check the settings, stores, upstreams, clock, certificates and limits that the server depends on.")
    .addOption(jsonOption())
    .addHelpText("after", NOTES + examples("quintet doctor", "quintet doctor --json"))
    .action(async (options: JsonOption) => {
      const findings = await examine(edge);
      const failed = findings.filter(({ state }) => state === "fail").length;
      const warned = findings.filter(({ state }) => state === "warn").length;
      const checks = findings.map(({ advice = null, ...finding }) => ({ ...finding, advice }));
      edge.out(options.json ? json({ checks, failed, warned }) : findings.map(line).join(""));
      if (failed > 0) {
        throw new CommandRefused(`${failed} of ${findings.length} checks failed.`);
      }
    });
}

const line = ({ state, subject, message, advice }: Finding): string =>
  `${state.padEnd(4)}  ${subject}: ${message}${message.endsWith("?") ? "" : "."}\n${advice === undefined ? "" : `      ${advice}\n`}`;

async function examine(edge: ServerEdge): Promise<readonly Finding[]> {
  let config: Config;
  try {
    config = readConfig(edge.variables, { workers: edge.cores });
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.faults.map((fault) => fail("settings", fault, "Mend it; the other checks need all settings."));
    }
    throw error;
  }
  const { tls, plansPath, outbound, services } = config;
  const [stores, upstreams] = await Promise.all([
    checkStores({ ...config, isNamed: Boolean(edge.variables.QUINTET_DATA_DIR) }, edge.clock),
    checkUpstreams(upstreamGroups(services), {
      clock: edge.clock,
      userAgent: outbound.userAgent,
      timeoutMs: UPSTREAM_TIMEOUT_MS,
    }),
  ]);
  // Faults of the plan file and of the TLS files are faults of the settings.
  return [
    ok("settings", "none is faulty"),
    ok("plans", `${loadPlans(plansPath).all.length} plans in ${plansPath ?? "the built-in file"}`),
    ...stores.findings,
    ...upstreams.findings,
    ...checkClocks([...stores.clocks, ...upstreams.clocks]),
    ...(tls === undefined ? [] : checkCertificates(tls, edge.clock.nowMs())),
    ...checkSystem(readSystemFacts(edge.cores), config),
  ];
}
