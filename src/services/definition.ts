// What a service tells the rest of the program about itself. Each service's folder has one such definition, and registry.ts lists
// them.
import type { DescService } from "@bufbuild/protobuf";
import type { Environment } from "../config/environment.ts";
import type { OutboundConfig } from "../config/outbound.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { StandIn } from "../upstream/stand-in/stand-in.ts";
import type { UpstreamObserver } from "../upstream/upstream-observer.ts";
import type { DataService } from "./service.ts";

/** What every service may use. */
export interface ServiceTools {
  readonly outbound: OutboundConfig;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** Hears of the requests to the service's upstreams; undefined where nobody does. */
  readonly observer?: UpstreamObserver | undefined;
}

/** What stand-ins are made from. */
export interface StandInTools {
  /** The same seed makes the same data. */
  readonly seed: number;
  readonly clock: Clock;
}

/** The running stand-ins of a service's upstreams. */
export interface StandIns {
  readonly standIns: readonly StandIn[];
  /** Environment variables that point a server at them, and at nothing else. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * A service. A definition itself is small: what a service needs to serve is loaded when it is asked for, because most threads and
 * commands never do.
 */
export interface ServiceDefinition<Config, Desc extends DescService = DescService> {
  /** Reads the service's settings. They are handed to other threads, so they are plain data. */
  readConfig(environment: Environment): Config;
  /** The service as its proto describes it. */
  loadContract(): Promise<Desc>;
  /** Makes the service. It asks no upstream before it begins. */
  create(config: Config, tools: ServiceTools): Promise<DataService<Desc>>;
  /** Starts a stand-in for each of its upstreams, on free ports of 127.0.0.1. */
  startStandIns(tools: StandInTools): Promise<StandIns>;
}
