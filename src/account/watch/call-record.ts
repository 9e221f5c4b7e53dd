// One call to a data service, as its account may see it: what it was and how it ended, but never the request or response itself.
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { Reason } from "../../problem/reason.ts";

/** A call. Plain values, because it is sent between threads. */
export interface CallRecord {
  /** Names the call. A stream has the same id when it begins and when it ends. */
  readonly id: string;
  /** When the request's head had arrived, in milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
  readonly service: ServiceName;
  /** The full name, such as `quintet.farkle.v1.FarkleService/Score`. */
  readonly method: string;
  readonly protocol: "rest" | "connect" | "grpc" | "grpc-web" | "mcp";
  /** The HTTP status of the response; 0 if none was sent. */
  readonly httpStatus: number;
  /** How it ended; undefined for a stream that is still open. */
  readonly outcome: "OK" | Reason | undefined;
  /** Whether it was refused because of its key, its subscription or a limit. */
  readonly isRefused: boolean;
  readonly isDryRun: boolean;
  readonly durationMs: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly requestId: string;
  readonly keyId: string;
  readonly keyLastFour: string;
}

/** The calls of one account in a tenth of a second, in the order in which they were recorded. */
export interface CallBatch {
  readonly accountId: string;
  readonly calls: readonly CallRecord[];
  /** How many more there were. */
  readonly leftOut: number;
}
