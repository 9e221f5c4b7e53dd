// All checks of `quintet doctor`, one after another.
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { hashSecret } from "@quintet/guard";
import { fetch } from "undici";
import { loadPlans, type Plans } from "../../catalogue/plans.ts";
import { ConfigError } from "../../config/environment.ts";
import type { MailConfig } from "../../config/mail.ts";
import type { OutboundConfig } from "../../config/outbound.ts";
import type { TlsFiles } from "../../config/tls.ts";
import type { WebhookConfig } from "../../config/webhooks.ts";
import { publicKeyFaults } from "../../guard/keys/public-key-check.ts";
import { CERTIFICATE_FAULT, type SmtpTimeouts, trySmtpServer } from "../../mail/smtp-transport.ts";
import type { Clock } from "../../runtime/clock.ts";
import { createLog } from "../../runtime/log.ts";
import { createAgent } from "../../runtime/proxied-agent.ts";
import { type Config, readConfig } from "../../server-config.ts";
import { type ServiceUpstreams, upstreamGroups } from "../../services/registry.ts";
import { checkSources, type SourceCheck } from "../../services/source-checks.ts";
import { inspectKey } from "../../store/inspect.ts";
import { grouped } from "../output.ts";
import type { ServerEdge } from "../server-edge.ts";
import { type ClockDifference, checkClocks } from "./clock-check.ts";
import { type Finding, fail, ok, reasonOf, warn } from "./finding.ts";
import { checkStores } from "./store-check.ts";

/** What the system allows; undefined if it does not say, as on systems other than Linux. */
interface SystemFacts {
  readonly cores: number;
  /** The machine's, or the container's if that is less. */
  readonly memoryBytes: number;
  readonly openFilesMax: number | undefined;
  readonly outgoingPorts: number | undefined;
  /** net.core.somaxconn. */
  readonly listenQueueMax: number | undefined;
}

const MIB = 1_048_576;
// The memory that a process needs with one thread, and for each further thread.
const PROCESS_BYTES = 150 * MIB;
const THREAD_BYTES = 100 * MIB;
const OPEN_FILES_MIN = 4096;
const OUTGOING_PORTS_MIN = 10_000;
const LISTEN_QUEUE_MIN = 1024;

function readSystemFacts(cores: number): SystemFacts {
  const [from, to] = numbersOf("/proc/sys/net/ipv4/ip_local_port_range");
  const container = numbersOf("/sys/fs/cgroup/memory.max")[0] ?? Number.POSITIVE_INFINITY;
  const files = /^Max open files\s+(\d+)/m.exec(read("/proc/self/limits"))?.[1];
  return {
    cores,
    memoryBytes: Math.min(totalmem(), container),
    openFilesMax: files === undefined ? undefined : Number(files),
    outgoingPorts: from === undefined || to === undefined ? undefined : to - from + 1,
    listenQueueMax: numbersOf("/proc/sys/net/core/somaxconn")[0],
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

const numbersOf = (path: string): readonly number[] => (read(path).match(/\d+/g) ?? []).map(Number);

/** Checks the limits against what the configuration needs. */
export function checkSystem(facts: SystemFacts, { workers }: Pick<Config, "workers">): readonly Finding[] {
  const { cores, memoryBytes, openFilesMax, outgoingPorts, listenQueueMax } = facts;
  const neededBytes = PROCESS_BYTES + (workers - 1) * THREAD_BYTES;
  const findings = [
    workers > cores
      ? warn("cores", `${workers} threads serve on ${cores} cores`, "Set QUINTET_WORKERS to the number of cores, or leave it out.")
      : ok("cores", `${workers} threads on ${cores} cores`),
    memoryBytes < neededBytes
      ? warn(
          "memory",
          `there are ${grouped(Math.round(memoryBytes / MIB))} MiB, and ${workers} threads take up to ${grouped(Math.round(neededBytes / MIB))}`,
          "Give it more memory, or set QUINTET_WORKERS to fewer threads.",
        )
      : ok("memory", `${grouped(Math.round(memoryBytes / MIB))} MiB`),
  ];
  const bounded = (subject: string, value: number | undefined, least: number, advice: string): readonly Finding[] => {
    if (value === undefined) {
      return [];
    }
    return [
      value < least
        ? warn(subject, `at most ${grouped(value)}, which is under ${grouped(least)}`, advice)
        : ok(subject, `at most ${grouped(value)}`),
    ];
  };
  return [
    ...findings,
    ...bounded(
      "open files",
      openFilesMax,
      OPEN_FILES_MIN,
      "Each connection takes one. Raise it: LimitNOFILE=65536 in systemd, or `ulimit -n 65536`.",
    ),
    ...bounded(
      "outgoing ports",
      outgoingPorts,
      OUTGOING_PORTS_MIN,
      "Connections to upstreams and databases take them. Widen net.ipv4.ip_local_port_range.",
    ),
    ...bounded(
      "connection queue",
      listenQueueMax,
      LISTEN_QUEUE_MIN,
      "New connections wait in it when many arrive at once. Raise net.core.somaxconn to 4096.",
    ),
  ];
}

/** Nothing, unless the operator lets them reach private addresses. */
export const checkWebhooks = ({ allowsPrivate }: WebhookConfig): readonly Finding[] =>
  allowsPrivate
    ? [
        warn(
          "webhooks",
          "customers can have requests sent to private addresses, and without TLS",
          "Set QUINTET_WEBHOOK_ADDRESSES=public, unless you trust every customer with what only this machine can reach.",
        ),
      ]
    : [];

// Whether the services' sources work from here, and how far their clocks are off.

// Dates in headers are in whole seconds, and the response took time to arrive.
const DATE_PRECISION_MS = 1500;
const CLOCK_TIMEOUT_MS = 10_000;

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

/** The clocks of the sources' servers, as far as they answer. */
async function upstreamClocks(
  groups: readonly ServiceUpstreams[],
  { userAgent, proxy }: OutboundConfig,
  clock: Pick<Clock, "nowMs">,
): Promise<readonly ClockDifference[]> {
  const dispatcher = createAgent(proxy, {});
  const origins = new Set(groups.flatMap(({ urls }) => urls.map((url) => new URL(url).origin)));
  const clocks = [...origins].map(async (origin): Promise<readonly ClockDifference[]> => {
    try {
      const { headers } = await fetch(origin, {
        method: "HEAD",
        headers: { "user-agent": userAgent },
        redirect: "manual",
        dispatcher,
        signal: AbortSignal.timeout(CLOCK_TIMEOUT_MS),
      });
      const aheadMs = Date.parse(headers.get("date") ?? "") - clock.nowMs();
      return Number.isNaN(aheadMs) ? [] : [{ whose: new URL(origin).host, aheadMs, uncertaintyMs: DATE_PRECISION_MS }];
    } catch {
      return [];
    }
  });
  const differences = (await Promise.all(clocks)).flat();
  await dispatcher.destroy();
  return differences;
}

// Checks whether visitors can use the key in QUINTET_EXPLORE_KEY.
const SUBJECT = "explore key";

interface ExploreCheckConfig extends Pick<Config, "dataDir" | "database"> {
  readonly explore: NonNullable<Config["explore"]>;
}

/** The findings, which do not contain the key. */
async function checkExploreKey(config: ExploreCheckConfig, plans: Plans, clock: Clock): Promise<readonly Finding[]> {
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

// When the TLS certificate expires. The check of the settings has already made sure that the files exist and match.
const DAY_MS = 86_400_000;
const WARN_DAYS = 21;
const ADVICE = "Renew it, and send the server SIGHUP.";

/** A line for the server's certificate, and one for each authority of its clients. */
export function checkCertificates({ cert, clientCa }: Pick<TlsFiles, "cert" | "clientCa">, nowMs: number): readonly Finding[] {
  return [cert, ...(clientCa === undefined ? [] : [clientCa])].map((path) => checkOne(path, nowMs));
}

function checkOne(path: string, nowMs: number): Finding {
  const { validFromDate, validToDate } = new X509Certificate(readFileSync(path));
  const until = validToDate.toISOString().slice(0, 10);
  const days = Math.floor((validToDate.getTime() - nowMs) / DAY_MS);
  if (validFromDate.getTime() > nowMs) {
    return fail(
      "certificate",
      `${path} is not valid before ${validFromDate.toISOString()}`,
      "Check the certificate and this machine's clock.",
    );
  }
  if (days < 0) {
    return fail("certificate", `${path} expired on ${until}`, ADVICE);
  }
  return days < WARN_DAYS
    ? warn("certificate", `${path} expires in ${days} days, on ${until}`, ADVICE)
    : ok("certificate", `${path} is valid until ${until}`);
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
