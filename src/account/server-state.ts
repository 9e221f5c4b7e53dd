// The state of a server for operators, as far as the server itself knows it. Facts about all servers are read from the database.
import type { ServiceName } from "../catalogue/service-names.ts";

/** The state of a server. Counts are since it started. */
export interface ServerState {
  readonly version: string;
  readonly startedAtMs: number;
  readonly memoryBytes: number;
  /** The CPU time of all threads. */
  readonly cpuSeconds: number;
  /** Calls to data services that were admitted. */
  readonly calls: number;
  /** Calls that were leased and not spent. */
  readonly leasedCalls: number;
  /** Calls that the database did not accept for the call log. */
  readonly callsMissingFromLog: number;
  /** Admitted calls whose counts were dropped. */
  readonly callsMissingFromUsage: number;
  /** Refused calls whose counts were dropped. */
  readonly refusalsMissing: number;
  readonly threads: { readonly configured: number; readonly running: number; readonly replaced: number };
  readonly database: {
    readonly kind: "embedded" | "postgresql";
    readonly isUp: boolean;
    readonly queries: number;
    readonly slow: number;
    readonly failed: number;
  };
  /** Undefined without Redis. */
  readonly redis: { readonly threadsUp: number; readonly threads: number } | undefined;
  /** In the services' usual order. */
  readonly upstreams: readonly UpstreamState[];
}

export interface UpstreamState {
  readonly service: ServiceName;
  readonly succeeded: number;
  readonly failed: number;
  /** Not sent, because too many were in progress or the upstream had asked to wait. */
  readonly heldBack: number;
  /** Undefined if no request has succeeded. */
  readonly lastSucceededAtMs: number | undefined;
  readonly lastFailedAtMs: number | undefined;
  readonly cacheHits: number;
  readonly cacheMisses: number;
  /** Added up over the threads; undefined if the upstream has no mirrors. */
  readonly mirrors: { readonly healthy: number; readonly setAside: number } | undefined;
}
