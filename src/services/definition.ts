// How a service describes itself to the rest of the program. Each service's folder has one definition, listed in registry.ts.
import type { DescService } from "@bufbuild/protobuf";
import type { Environment } from "../config/environment.ts";
import type { OutboundConfig } from "../config/outbound.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { Parse } from "../upstream/upstream.ts";
import type { UpstreamObserver } from "../upstream/upstream-observer.ts";
import type { DataService } from "./service.ts";

/** What every service may use. */
export interface ServiceContext {
  readonly outbound: OutboundConfig;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** Observes requests to the service's upstreams; undefined if there is no observer. */
  readonly observer?: UpstreamObserver | undefined;
}

/** Requests a URL as the service would, and returns what `parse` makes of the response. */
export type FetchParsed = <Value>(url: string, parse: Parse<Value>) => Promise<Value>;

/** Addresses that provide the same data. One that works is enough. */
export interface UpstreamGroup {
  /** What it provides, such as `prices`. */
  readonly name: string;
  /** At least one. */
  readonly urls: readonly string[];
  /**
   * Asks one of the addresses what the service asks it. Returns what it has and how old that is, such as `1,234 tokens, of 2026-11-20`.
   * Throws an Error that says what is wrong if the service could not use it.
   */
  check(url: string, fetchParsed: FetchParsed, nowMs: number): Promise<string>;
}

/**
 * A service. The definition itself is small: what a service needs to serve is loaded on demand, because most threads and commands
 * never need it.
 */
export interface ServiceDefinition<Config, Desc extends DescService = DescService> {
  /** Reads the service's settings. They are passed to other threads, so they are plain data. */
  readConfig(environment: Environment): Config;
  /** The configured sources of its data, for checking whether they work. Empty if it has none. */
  upstreams(config: Config): readonly UpstreamGroup[];
  loadContract(): Promise<Desc>;
  /** Creates the service. It sends no upstream requests before `begin`. */
  create(config: Config, serviceContext: ServiceContext): Promise<DataService<Desc>>;
}
