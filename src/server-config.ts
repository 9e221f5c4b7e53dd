// The environment as one frozen value. Every variable that the program reads is read here, through the sections in config/ and each
// service's own, and nowhere else. All faults are reported at once, and any of them stops the start.
import { loadPlans, planFileFaults } from "./catalogue/plans.ts";
import { type MeshPrincipal, readPrincipals } from "./catalogue/principals.ts";
import { type AccessLogConfig, readAccessLogConfig } from "./config/access-log.ts";
import { type AdminConfig, readAdminConfig } from "./config/admin.ts";
import { readAuditDays } from "./config/audit.ts";
import { Environment, type VariableDoc } from "./config/environment.ts";
import { type HttpLimits, readHttpLimits } from "./config/http-limits.ts";
import { type MailConfig, readMailConfig } from "./config/mail.ts";
import { type DatabaseConfig, readDatabaseConfig, readRedisUrl } from "./config/many-nodes.ts";
import { type OutboundConfig, readOutboundConfig } from "./config/outbound.ts";
import { type ProxyConfig, readProxyConfig } from "./config/proxies.ts";
import { readTls, type TlsFiles } from "./config/tls.ts";
import { readTracingConfig, type TracingConfig } from "./config/tracing.ts";
import { readServiceConfigs, type ServiceConfigs } from "./services/registry.ts";

/** All that the program is told from outside. */
export interface Config {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  /** Whether it serves what stand-ins say: its keys are good nowhere else. Of the command that is run, not of the environment. */
  readonly isSandbox: boolean;
  /** How many threads serve. With 1 it is the main one, which else looks after the others. */
  readonly workers: number;
  /** Where the embedded database is. */
  readonly dataDir: string;
  /** The PostgreSQL database that is used in place of the embedded one. */
  readonly database: DatabaseConfig | undefined;
  /** How long a call waits for the database where it has to be asked. */
  readonly databaseWaitMs: number;
  /** The operator's plans; undefined for the built-in ones. */
  readonly plansPath: string | undefined;
  /** How long entries of the audit trail are kept, in days. */
  readonly auditDays: number;
  /** The Redis in which several nodes count requests per second together, with its password; undefined where each counts by itself. */
  readonly redisUrl: string | undefined;
  readonly logLevel: string;
  /** The longest that a call may take, whatever its caller asks for. */
  readonly callTimeoutMsMax: number;
  /** How long calls under way may take to end when the server stops. */
  readonly drainMs: number;
  /** How long calls are still taken before that, while health and readiness say that the server stops. */
  readonly drainDelayMs: number;
  /** Whether tools may ask for the protos by server reflection. */
  readonly hasReflection: boolean;
  /** Where operators' tools ask; undefined where they cannot. */
  readonly admin: AdminConfig | undefined;
  /** Undefined where there is no access log. */
  readonly accessLog: AccessLogConfig | undefined;
  /** Where traces are sent; undefined where there are none. */
  readonly tracing: TracingConfig | undefined;
  /** How mail is sent; undefined where none is. */
  readonly mail: MailConfig | undefined;
  readonly limits: HttpLimits;
  readonly tls: TlsFiles | undefined;
  /** The proxies that are trusted. */
  readonly proxies: ProxyConfig;
  /** Who may call by a client certificate, in place of a key. */
  readonly meshPrincipals: readonly MeshPrincipal[];
  readonly outbound: OutboundConfig;
  /** Each service's own settings. */
  readonly services: ServiceConfigs;
}

const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

/** Reads what the command line's own commands need: where the data are, and the plans. */
export function readDataConfig(
  environment: Environment,
  dataDirFallback: string,
): Pick<Config, "dataDir" | "database" | "plansPath" | "auditDays"> {
  return {
    dataDir: environment.text(
      "QUINTET_DATA_DIR",
      dataDirFallback,
      "The directory of the embedded database. The default one is made at the first start; another must be there, unless `--init` makes it.",
    ),
    database: readDatabaseConfig(environment),
    plansPath: environment.optionalText("QUINTET_PLANS", "A JSON file of plans that replaces the built-in ones."),
    auditDays: readAuditDays(environment),
  };
}

// As the server reads them: it needs the plans from its first call on, so what is wrong with them is said with everything else.
function readServedData(environment: Environment, dataDirFallback: string): ReturnType<typeof readDataConfig> {
  const config = readDataConfig(environment, dataDirFallback);
  const { plansPath } = config;
  for (const fault of plansPath === undefined ? [] : planFileFaults(plansPath)) {
    environment.fault("QUINTET_PLANS", `names "${plansPath}": ${fault}`);
  }
  return config;
}

// Who may call by a client certificate. Each one's plans must be on offer, and somebody has to verify the certificates.
function readMeshPrincipals(
  environment: Environment,
  { plansPath, tls, proxies }: Pick<Config, "plansPath" | "tls" | "proxies">,
): readonly MeshPrincipal[] {
  const name = "QUINTET_MESH_PRINCIPALS";
  const path = environment.optionalText(
    name,
    "A JSON file of principals, who need no key: each is known by the SPIFFE IDs or DNS names of its client certificates, and has a plan for " +
      "each service that it may call.",
  );
  // What is wrong with the plans is said elsewhere.
  if (path === undefined || (plansPath !== undefined && planFileFaults(plansPath).length > 0)) {
    return [];
  }
  if ((tls === undefined || tls.clientCerts === "off") && !proxies.forwardsClientCert) {
    environment.fault(name, "needs QUINTET_TLS_CLIENT_CA, or QUINTET_FORWARDED_CLIENT_CERT=on: who verifies the certificates");
  }
  const { principals, faults } = readPrincipals(path, loadPlans(plansPath));
  for (const fault of faults) {
    environment.fault(name, `names "${path}": ${fault}`);
  }
  return principals;
}

/** What holds where the environment does not say otherwise, and depends on the command and the machine. */
export interface ConfigFallbacks {
  readonly dataDir: string;
  readonly workers: number;
  readonly isSandbox: boolean;
}

const FALLBACKS: ConfigFallbacks = { dataDir: "./data", workers: 1, isSandbox: false };

function readSections(environment: Environment, fallbacks: ConfigFallbacks): Config {
  const sections = {
    host: environment.text("QUINTET_HOST", "127.0.0.1", "The address to listen on. `::` or `0.0.0.0` for all."),
    port: environment.integer("QUINTET_PORT", 8080, { min: 0, max: 65_535 }, "The one port. 0 takes a free one."),
    isSandbox: fallbacks.isSandbox,
    workers:
      environment.optionalInteger(
        "QUINTET_WORKERS",
        { min: 1, max: 256 },
        "How many threads serve, all on the one port. When it is not set `serve` takes as many as there are cores, and `sandbox` takes one.",
      ) ?? fallbacks.workers,
    ...readServedData(environment, fallbacks.dataDir),
    databaseWaitMs: environment.integer(
      "QUINTET_DATABASE_WAIT_MS",
      250,
      { min: 10, max: 10_000 },
      "How long a call waits for a database that says nothing to anybody, in milliseconds, before it is refused with LIMITS_UNAVAILABLE; " +
        "for one that goes on answering others, up to forty times as long. More than a few round trips to the database.",
    ),
    redisUrl: readRedisUrl(environment),
    logLevel: environment.choice(
      "QUINTET_LOG_LEVEL",
      "info",
      LOG_LEVELS,
      "What is logged: `debug`, `info`, `warn`, `error` or `silent`.",
    ),
    callTimeoutMsMax: environment.integer(
      "QUINTET_CALL_TIMEOUT_MS",
      30_000,
      { min: 100, max: 600_000 },
      "The longest that a call may take, in milliseconds. A caller's later deadline is brought forward to it.",
    ),
    drainMs: environment.integer(
      "QUINTET_DRAIN_MS",
      10_000,
      { min: 0, max: 600_000 },
      "How long calls under way may take to end when the server is told to stop, in milliseconds.",
    ),
    drainDelayMs: environment.integer(
      "QUINTET_DRAIN_DELAY_MS",
      0,
      { min: 0, max: 600_000 },
      "How long the server goes on as before when it is told to stop, in milliseconds, while `/readyz` and the health service say that it " +
        "stops. As long as a balancer takes to notice.",
    ),
    hasReflection:
      environment.choice(
        "QUINTET_REFLECTION",
        fallbacks.isSandbox ? "on" : "off",
        ["off", "on"],
        "Whether `grpcurl`, `buf curl` and other tools may ask for the protos, without a key: `off` or `on`. `sandbox` has it on when it is not set.",
      ) === "on",
    admin: readAdminConfig(environment),
    accessLog: readAccessLogConfig(environment),
    tracing: readTracingConfig(environment),
    mail: readMailConfig(environment),
    limits: readHttpLimits(environment),
    tls: readTls(environment),
    proxies: readProxyConfig(environment),
    outbound: readOutboundConfig(environment),
    services: readServiceConfigs(environment),
  };
  return { ...sections, meshPrincipals: readMeshPrincipals(environment, sections) };
}

/** Reads the whole environment. Throws a ConfigError with all that is wrong with it. */
export function readConfig(
  variables: Readonly<Record<string, string | undefined>>,
  fallbacks: Partial<ConfigFallbacks> = {},
): Config {
  const environment = new Environment(variables);
  const config = readSections(environment, { ...FALLBACKS, ...fallbacks });
  environment.finish();
  return Object.freeze(config);
}

/** Every variable, for the documentation. */
export function variableDocs(): readonly VariableDoc[] {
  const environment = new Environment({});
  readSections(environment, FALLBACKS);
  return environment.docs;
}
