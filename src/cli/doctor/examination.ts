// All checks of `quintet doctor`, one after another.
import { loadPlans } from "../../catalogue/plans.ts";
import { ConfigError } from "../../config/environment.ts";
import type { MailConfig } from "../../config/mail.ts";
import { CERTIFICATE_FAULT, type SmtpTimeouts, trySmtpServer } from "../../mail/smtp-transport.ts";
import { createLog } from "../../runtime/log.ts";
import { type Config, readConfig } from "../../server-config.ts";
import { upstreamGroups } from "../../services/registry.ts";
import { checkSources, type SourceCheck } from "../../services/source-checks.ts";
import type { ServerEdge } from "../server-edge.ts";
import { checkClocks } from "./clock-check.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";
import { checkStores } from "./store-check.ts";

// Whether the services' sources work from here.

/** One line for each source. A source is shown by its origin, because the rest of its URL may contain a key. */
function upstreamFindings(checks: readonly SourceCheck[]): readonly Finding[] {
  return checks.map(({ service, name, origin, works, message, hasOthers }) => {
    const subject = `${service}: ${name}`;
    if (works) {
      return ok(subject, `${origin} works: ${message}`);
    }
    const what = `${origin} does not work: ${message}`;
    if (checks.some((other) => other.service === service && other.name === name && other.works)) {
      return warn(subject, what, "Another source is used instead. If this persists, remove the failing source from the setting.");
    }
    const all = hasOthers ? "None of the sources works. " : "";
    return fail(subject, what, `${all}Check the setting, DNS and the firewall. Until then, calls that need this source fail.`);
  });
}

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
  const { plansPath, outbound, services, mail } = config;
  const plans = loadPlans(plansPath);
  const groups = upstreamGroups(services);
  const [stores, sources, mailFindings] = await Promise.all([
    checkStores({ ...config, isNamed: Boolean(edge.variables.QUINTET_DATA_DIR) }, edge.clock),
    checkSources(groups, { outbound, clock: edge.clock, randomness: edge.randomness, log: createLog("silent") }),
    mail === undefined ? [] : checkMail(mail),
  ]);
  // Reading the settings has already checked the plan file and the TLS files.
  return [
    ok("settings", "all are valid"),
    ok("plans", `${plans.all.length} plans in ${plansPath ?? "the built-in file"}`),
    ...stores.findings,
    ...upstreamFindings(sources),
    ...[mailFindings].flat(),
    ...checkClocks(stores.clocks),
  ];
}

/** The findings, which contain neither the user nor the password. */
export async function checkMail(config: MailConfig, timeouts?: SmtpTimeouts): Promise<Finding> {
  const { host, port } = config.smtp;
  const server = `${host}:${port}`;
  const result = await trySmtpServer(config, timeouts);
  if (result.outcome === "sent") {
    return ok("mail", `${server} accepts mail`);
  }
  return fail(
    "mail",
    `${server} does not accept mail (${result.code})`,
    result.code === CERTIFICATE_FAULT
      ? "The server's certificate is not trusted, has expired, or is for another name. Check its name in QUINTET_SMTP_URL, or let Node trust its authority with NODE_EXTRA_CA_CERTS."
      : "Check QUINTET_SMTP_URL, and whether this machine can reach the server.",
  );
}
