// Reads the address of the admin port, which operators' tools use.
import type { Environment } from "./environment.ts";

export interface AdminConfig {
  readonly host: string;
  /** 0 for a free port. */
  readonly port: number;
}

/** Reads QUINTET_ADMIN_PORT and QUINTET_ADMIN_HOST; undefined if there is no admin port. */
export function readAdminConfig(environment: Environment): AdminConfig | undefined {
  const port = environment.optionalInteger(
    "QUINTET_ADMIN_PORT",
    { min: 0, max: 65_535 },
    "The port that serves `/metrics`, for Prometheus. 0 picks a free port. If not set, no metrics are collected.",
  );
  const host = environment.host(
    "QUINTET_ADMIN_HOST",
    "127.0.0.1",
    "The address of the admin port. Anyone who reaches it can read the metrics, without a key.",
  );
  return port === undefined ? undefined : { host, port };
}
