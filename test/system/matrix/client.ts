// What a client of the matrix does, in any protocol.
import type { Gateway } from "../../fixtures/gateway.ts";
import type { Seen } from "./seen.ts";

/** The request id that every call sends and should get back. */
export const REQUEST_ID = "7c0e3c1e-33f5-4bd7-9a0f-3d7a1c6f2b10";

/** One call. */
export interface Call {
  readonly gateway: Pick<Gateway, "origin" | "port">;
  readonly key?: string;
  /** The input. */
  readonly dice: readonly number[];
  /** `Score`, or one that does not exist. */
  readonly method: "Score" | "Nope";
  /** Whether the call is a dry run. */
  readonly isDryRun?: boolean;
}

/** One way of calling. */
export interface Client {
  readonly name: string;
  /** The protocol, which decides how failures are written. */
  readonly protocol: "rest" | "connect" | "grpc-web" | "grpc";
  /** Whether the input is in the URL. */
  readonly inUrl: boolean;
  /** Whether it exposes the HTTP status. */
  readonly showsStatus: boolean;
  call(call: Call): Promise<Seen>;
}

/** The headers of a call. */
export function headersOf({ key, isDryRun }: Call): Record<string, string> {
  return {
    "x-request-id": REQUEST_ID,
    ...(key !== undefined && { "x-gateway-key": key }),
    ...(isDryRun && { "x-quintet-dry-run": "true" }),
  };
}
