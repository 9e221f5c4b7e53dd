// The environment as one frozen value. Every variable is read here, through the sections in config/ and in each
// service's folder, and nowhere else. All faults are reported at once; with any of them, the server does not start.
import { planFileFaults } from "./catalogue/plans.ts";
import { type MeshPrincipal, readPrincipals } from "./catalogue/principals.ts";
import { type AccessLogConfig, readAccessLogConfig } from "./config/access-log.ts";
import { type AdminConfig, readAdminConfig } from "./config/admin.ts";
import { Environment, type VariableDoc } from "./config/environment.ts";
import { type ExploreConfig, readExploreConfig } from "./config/explore.ts";
import { type HttpLimits, readHttpLimits } from "./config/http-limits.ts";
import { type IdentityProviderConfig, readIdentityProviders } from "./config/identity-providers.ts";
import { type MailConfig, readMailConfig } from "./config/mail.ts";
import { type DatabaseConfig, readCell, readDatabaseConfig, readRedisUrl } from "./config/many-nodes.ts";
import { type OperatorConfig, readOperatorConfig } from "./config/operator.ts";
import { type OutboundConfig, readCallTimeoutMs, readOutboundConfig } from "./config/outbound.ts";
import { type PaymentConfig, readPaymentConfig } from "./config/payments.ts";
import { type ProxyConfig, readProxyConfig } from "./config/proxies.ts";
import { readPublicUrl } from "./config/public-url.ts";
import { readTls, type TlsFiles } from "./config/tls.ts";
import { readTracingConfig, type TracingConfig } from "./config/tracing.ts";
import { readWebhookConfig, type WebhookConfig } from "./config/webhooks.ts";
import { readServiceConfigs, type ServiceConfigs } from "./services/registry.ts";

export interface Config {
  readonly host: string;
  /** The port to listen on; 0 for a free one. */
  readonly port: number;
  /** Whether its data comes from stand-ins; its keys are valid nowhere else. Set by the command, not by the environment. */
  readonly isSandbox: boolean;
  /** How many threads serve calls. With 1, that is the main thread, which otherwise supervises the serving threads. */
  readonly workers: number;
  /** Where the embedded database is. */
  readonly dataDir: string;
  /** The PostgreSQL database that is used instead of the embedded one. */
  readonly database: DatabaseConfig | undefined;
  /** The plan file for a new database; undefined for the built-in one. */
  readonly plansPath: string | undefined;
  /** The two digits of the cell, which new keys contain; undefined if there is only one cell. */
  readonly cell: string | undefined;
  /** The Redis in which several nodes count requests per second together, with its password; undefined if each counts separately. */
  readonly redisUrl: string | undefined;
  readonly logLevel: string;
  /** The longest that a call may take, whatever its caller requests. */
  readonly callTimeoutMsMax: number;
  /** How long calls in progress may take to finish when the server stops. */
  readonly drainMs: number;
  /** How long calls are still accepted before that, while health and readiness say that the server is stopping. */
  readonly drainDelayMs: number;
  /** Whether tools may read the protos by server reflection. */
  readonly hasReflection: boolean;
  /** The admin port for operators' tools; undefined if there is none. */
  readonly admin: AdminConfig | undefined;
  /** Undefined if there is no access log. */
  readonly accessLog: AccessLogConfig | undefined;
  /** Where traces are sent; undefined if there are none. */
  readonly tracing: TracingConfig | undefined;
  /** The address at which customers reach the server; undefined if the operator has not set it. */
  readonly publicUrl: string | undefined;
  /** The providers with which people may sign in. */
  readonly identityProviders: readonly IdentityProviderConfig[];
  /** How mail is sent; undefined if no mail is sent. */
  readonly mail: MailConfig | undefined;
  /** How customers pay by card; undefined if they cannot. */
  readonly payments: PaymentConfig | undefined;
  /** Where customers' webhooks may go. */
  readonly webhooks: WebhookConfig;
  /** Who runs the server. */
  readonly operator: OperatorConfig;
  /** The public key with which visitors who are not signed in make calls; undefined if they cannot. */
  readonly explore: ExploreConfig | undefined;
  readonly limits: HttpLimits;
  readonly tls: TlsFiles | undefined;
  /** For how long browsers are told to use only TLS, in seconds; 0 for not at all. */
  readonly hstsMaxAgeSeconds: number;
  readonly proxies: ProxyConfig;
  /** Who may call with a client certificate instead of a key. */
  readonly meshPrincipals: readonly MeshPrincipal[];
  readonly outbound: OutboundConfig;
  readonly services: ServiceConfigs;
}

// The minimum for the HSTS preload list.
const YEAR_SECONDS = 365 * 24 * 60 * 60;

const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

/** Reads the settings of commands that work on the data directly, without a server: where the data is, and the plans. */
export function readDataConfig(
  environment: Environment,
  dataDirFallback: string,
  isSandbox = false,
): Pick<Config, "dataDir" | "database" | "plansPath" | "cell"> {
  return {
    dataDir: environment.text(
      "QUINTET_DATA_DIR",
      dataDirFallback,
      "The directory of the embedded database. The default one is created at the first start; any other must exist, unless `--init` creates it.",
    ),
    database: readDatabaseConfig(environment, isSandbox),
    plansPath: environment.optionalText(
      "QUINTET_PLANS",
      "The plan file that the first server applies to a new database, in place of the built-in one. Later changes are made with `quintet plans apply`.",
    ),
    cell: readCell(environment),
  };
}

// Checks the plan file too, so that its faults are reported together with all others.
function readServedData(environment: Environment, fallbacks: ConfigFallbacks): ReturnType<typeof readDataConfig> {
  const config = readDataConfig(environment, fallbacks.dataDir, fallbacks.isSandbox);
  const { plansPath } = config;
  for (const fault of plansPath === undefined ? [] : planFileFaults(plansPath)) {
    environment.fault("QUINTET_PLANS", `names "${plansPath}": ${fault}`);
  }
  return config;
}

// Reads who may call with a client certificate. Something must verify the certificates.
function readMeshPrincipals(environment: Environment, { tls, proxies }: Pick<Config, "tls" | "proxies">): readonly MeshPrincipal[] {
  const name = "QUINTET_MESH_PRINCIPALS";
  const path = environment.optionalText(
    name,
    "A JSON file of principals, which are callers that need no key: each is identified by the SPIFFE IDs or DNS names in its client certificates, and has a plan for each service that it may call.",
  );
  if (path === undefined) {
    return [];
  }
  if ((tls === undefined || tls.clientCerts === "off") && !proxies.forwardsClientCert) {
    environment.fault(
      name,
      "needs QUINTET_TLS_CLIENT_CA, or QUINTET_FORWARDED_CLIENT_CERT=on: something must verify the certificates",
    );
  }
  const { principals, faults } = readPrincipals(path);
  for (const fault of faults) {
    environment.fault(name, `names "${path}": ${fault}`);
  }
  return principals;
}

/** The defaults that depend on the command and the machine. */
export interface ConfigFallbacks {
  readonly dataDir: string;
  readonly workers: number;
  readonly isSandbox: boolean;
}

const FALLBACKS: ConfigFallbacks = { dataDir: "./data", workers: 1, isSandbox: false };

function readSections(environment: Environment, fallbacks: ConfigFallbacks): Config {
  const publicUrl = readPublicUrl(environment);
  const sections = {
    host: environment.host("QUINTET_HOST", "127.0.0.1", "The address to listen on. `::` or `0.0.0.0` for all."),
    port: environment.integer("QUINTET_PORT", 8080, { min: 0, max: 65_535 }, "The port to listen on. 0 picks a free port."),
    isSandbox: fallbacks.isSandbox,
    workers:
      environment.optionalInteger(
        "QUINTET_WORKERS",
        { min: 1, max: 256 },
        "How many threads handle requests, all on the same port. By default, `serve` uses as many as there are cores, and `sandbox` uses one.",
      ) ?? fallbacks.workers,
    ...readServedData(environment, fallbacks),
    redisUrl: readRedisUrl(environment),
    logLevel: environment.choice(
      "QUINTET_LOG_LEVEL",
      "info",
      LOG_LEVELS,
      "The lowest level that is logged: `debug`, `info`, `warn` or `error`; or `silent` for no log.",
    ),
    callTimeoutMsMax: readCallTimeoutMs(environment),
    drainMs: environment.integer(
      "QUINTET_DRAIN_MS",
      10_000,
      { min: 0, max: 600_000 },
      "How long calls in progress may take to finish when the server is asked to stop, in milliseconds.",
    ),
    drainDelayMs: environment.integer(
      "QUINTET_DRAIN_DELAY_MS",
      0,
      { min: 0, max: 600_000 },
      "How long the server continues to accept calls when it is asked to stop, in milliseconds, while `/readyz` and the health service say that it " +
        "is stopping. Set it to the time that a load balancer takes to notice.",
    ),
    hasReflection:
      environment.choice(
        "QUINTET_REFLECTION",
        fallbacks.isSandbox ? "on" : "off",
        ["off", "on"],
        "Whether `grpcurl`, `buf curl` and other tools may read the protos, without a key: `off` or `on`. `on` by default for `sandbox`.",
      ) === "on",
    admin: readAdminConfig(environment),
    accessLog: readAccessLogConfig(environment),
    tracing: readTracingConfig(environment),
    publicUrl,
    identityProviders: readIdentityProviders(environment, publicUrl),
    mail: readMailConfig(environment, publicUrl),
    payments: readPaymentConfig(environment, publicUrl),
    webhooks: readWebhookConfig(environment, fallbacks),
    operator: readOperatorConfig(environment),
    explore: readExploreConfig(environment, fallbacks),
    limits: readHttpLimits(environment),
    tls: readTls(environment),
    hstsMaxAgeSeconds: environment.integer(
      "QUINTET_HSTS_MAX_AGE_SECONDS",
      YEAR_SECONDS,
      { min: 0, max: 2 * YEAR_SECONDS },
      "How long browsers that have used TLS must use only TLS for this host, in seconds: the `max-age` in the `strict-transport-security` header of responses over TLS. 0 sends no such header.",
    ),
    proxies: readProxyConfig(environment),
    outbound: readOutboundConfig(environment, publicUrl),
    services: readServiceConfigs(environment),
  };
  return { ...sections, meshPrincipals: readMeshPrincipals(environment, sections) };
}

/** Reads the whole environment. Throws a ConfigError with all of its faults. */
export function readConfig(
  variables: Readonly<Record<string, string | undefined>>,
  fallbacks: Partial<ConfigFallbacks> = {},
): Config {
  const environment = new Environment(variables);
  const config = readSections(environment, { ...FALLBACKS, ...fallbacks });
  environment.finish();
  return Object.freeze(config);
}

export function variableDocs(): readonly VariableDoc[] {
  const environment = new Environment({});
  readSections(environment, FALLBACKS);
  return environment.docs;
}
