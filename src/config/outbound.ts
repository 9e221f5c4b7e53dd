// Reads how Quintet presents itself to upstreams.
import { version } from "../runtime/version.ts";
import type { Environment } from "./environment.ts";

/** What all calls to upstreams have in common. */
export interface OutboundConfig {
  /** The `user-agent` header. */
  readonly userAgent: string;
  /** The longest that connecting may take, including TLS. */
  readonly connectTimeoutMs: number;
}

/** Reads QUINTET_USER_AGENT and QUINTET_CONNECT_TIMEOUT_MS. */
export function readOutboundConfig(environment: Environment): OutboundConfig {
  const fallback = `Quintet/${version}`;
  const userAgent = environment.text(
    "QUINTET_USER_AGENT",
    fallback,
    "The `user-agent` header of requests to upstreams. Upstreams are public services, so add a way to contact you, as in `Quintet/1.0 (+https://example.com)`.",
  );
  if (!/^[\x20-\x7e]{1,200}$/.test(userAgent)) {
    environment.fault("QUINTET_USER_AGENT", "must be 1 to 200 printable ASCII characters");
  }
  return {
    userAgent,
    connectTimeoutMs: environment.integer(
      "QUINTET_CONNECT_TIMEOUT_MS",
      2000,
      { min: 100, max: 30_000 },
      "The longest that a connection to an upstream may take, in milliseconds, including TLS.",
    ),
  };
}
