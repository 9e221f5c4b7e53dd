// Records of calls, and of the log that keeps some of them.
import type { ServiceName } from "../catalogue/service-names.ts";

/** How long a call stays in the log, in days. */
export const CALLS_KEPT_DAYS = 7;

/** What is recorded about a call besides how it ended. */
export interface CallFacts {
  /** When the request's head was complete, in milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
  readonly service: ServiceName;
  /** The full name, such as `quintet.farkle.v1.FarkleService/Score`. */
  readonly method: string;
  readonly protocol: "rest" | "connect" | "grpc" | "grpc-web" | "mcp";
  /** The HTTP status of the response; 0 if none was sent. */
  readonly httpStatus: number;
  readonly isDryRun: boolean;
  readonly durationMs: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly requestId: string;
  readonly keyId: string;
  readonly keyLastFour: string;
}

/** A call in the log. Plain values, because it is sent between threads. */
export interface LoggedCall extends CallFacts {
  readonly accountId: string;
  /** Identifies the call among all calls of all servers. */
  readonly id: string;
  /** `OK` or a Reason. */
  readonly outcome: string;
  /** Whether it was refused because of its key, its subscription or a limit. */
  readonly isRefused: boolean;
  /** How many of the account's calls in the same second, on the same server thread, are not in the log. */
  readonly leftOut: number;
  /** The request message in JSON; undefined if it was not read, or is not kept. */
  readonly parameters: string | undefined;
}

/** The position of a call in the log. */
export type CallCursor = Pick<LoggedCall, "startedAtMs" | "id">;

/** Which calls of an account to list, newest first. */
export interface CallQuery {
  readonly accountId: string;
  /** Only older calls than this one; undefined for all. */
  readonly before: CallCursor | undefined;
  readonly limit: number;
  /** Filters; each matches every call if it is undefined. */
  readonly requestId: string | undefined;
  readonly keyId: string | undefined;
  readonly service: string | undefined;
  readonly method: string | undefined;
  readonly outcome: string | undefined;
  readonly result: "succeeded" | "failed" | "refused" | undefined;
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
}

/** A page of the log. */
export interface CallPage {
  readonly calls: readonly LoggedCall[];
  /** Where the next page begins; undefined if there is none. */
  readonly next: CallCursor | undefined;
}
