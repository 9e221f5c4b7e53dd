// Dry runs: the caller learns how admission and validation would decide on a call, without making it.
import type { Exchange } from "../http/exchange.ts";
import type { ResponseHeaders } from "../http/headers.ts";
import type { Problem } from "../problem/problem.ts";
import type { Method } from "./rpc/method.ts";

/** The header of the request. A response with it belongs to a call that was not made. */
export const DRY_RUN_HEADER = "x-quintet-dry-run";

/** What a dry run returns besides an empty message, if the call would be admitted and its input is valid. */
export const DRY_RUN_HEADERS: ResponseHeaders = {
  [DRY_RUN_HEADER]: "admitted",
  // Must not be cached, because the response to the real call may have the same URL.
  "cache-control": "no-store",
};

/** The `message` of REST's envelope for a dry run. */
export const DRY_RUN_MESSAGE = "Dry run: the call was not made. It would be admitted, as far as a dry run checks its input.";

/** Whether the request is a dry run, or the fault of its header. */
export function dryRunOf({ headers }: Pick<Exchange, "headers">, { accessCheck, fullName }: Method): boolean | Problem {
  const given = headers[DRY_RUN_HEADER];
  if (given === undefined || given === "false") {
    return false;
  }
  if (given !== "true") {
    return malformed(`The ${DRY_RUN_HEADER} header must be true or false.`);
  }
  return (
    accessCheck.supportsDryRuns === true ||
    malformed(`${fullName} does not support dry runs; leave the ${DRY_RUN_HEADER} header out.`)
  );
}

const malformed = (message: string): Problem => ({ reason: "MALFORMED_REQUEST", message });
