// The connection string of a Redis deployment: one server, a cluster, or a primary that Sentinels watch.
//
//   redis://user:password@host:6379/0
//   redis-cluster://user:password@host:6379,host:6379
//   redis-sentinel://user:password@host:26379,host:26379/NAME?sentinelPassword=password
//
// and the same with `rediss` for TLS to all of them. WHATWG's URL has no lists of hosts, so these are read here.

interface RedisHost {
  readonly host: string;
  readonly port: number;
}

/** Where the Redis deployment is, and the credentials for it. */
export interface RedisAddress {
  readonly kind: "server" | "cluster" | "sentinel";
  /** The server; any servers of the cluster; or the Sentinels. */
  readonly hosts: readonly RedisHost[];
  readonly isTls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** The number of the database; only a single server can have one other than 0. */
  readonly database: number;
  /** How the Sentinels name the primary; empty without Sentinels. */
  readonly primary: string;
  /** The credentials for the Sentinels. */
  readonly sentinelUsername: string | undefined;
  readonly sentinelPassword: string | undefined;
}

const FORM = /^(redis|rediss)(?:-(cluster|sentinel))?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^/?#]*))?(?:\?([^#]*))?$/;
const PARAMETERS = ["sentinelUsername", "sentinelPassword"];

/** The parts of a connection string; undefined if it is faulty. */
export function redisAddressOf(url: string): RedisAddress | undefined {
  const [, scheme, kind = "server", user = "", list = "", path = "", query = ""] = FORM.exec(url) ?? [];
  const hosts = list.split(",").map((text) => hostOf(text, kind === "sentinel" ? 26379 : 6379));
  const parameters = new URLSearchParams(query);
  const [username, password] = user.split(/:(.*)/s).map(decoded);
  const isValid =
    scheme !== undefined &&
    hosts.every((host) => host !== undefined) &&
    (kind === "sentinel" ? path !== "" : /^\d*$/.test(path)) &&
    (kind !== "cluster" || path === "" || path === "0") &&
    (kind !== "server" || hosts.length === 1) &&
    [...parameters.keys()].every((name) => kind === "sentinel" && PARAMETERS.includes(name)) &&
    username !== null &&
    password !== null;
  return isValid
    ? {
        kind: kind as RedisAddress["kind"],
        hosts,
        isTls: scheme === "rediss",
        username: username || undefined,
        password: password || undefined,
        database: kind === "sentinel" ? 0 : Number(path),
        primary: kind === "sentinel" ? path : "",
        sentinelUsername: parameters.get("sentinelUsername") ?? undefined,
        sentinelPassword: parameters.get("sentinelPassword") ?? undefined,
      }
    : undefined;
}

function hostOf(text: string, port: number): RedisHost | undefined {
  // Any scheme will do, except those of the web, whose default port would be dropped.
  const url = URL.parse(`redis://${text}`);
  const host = url?.hostname.replace(/^\[(.*)\]$/, "$1");
  return url === null || !host ? undefined : { host, port: url.port === "" ? port : Number(url.port) };
}

// Null if its percent-encoding is invalid.
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
