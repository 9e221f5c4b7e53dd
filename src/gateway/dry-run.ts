// Dry runs: a caller asks what admission and validation would say to a call, which is not made. The header, and what is wrong with it.
import type { Exchange } from "../http/exchange.ts";
import type { ResponseHeaders } from "../http/headers.ts";
import type { Problem } from "../problem/problem.ts";
import type { Method } from "./rpc/method.ts";

/** The request's header. An answer that has it is that of a call which was not made. */
export const DRY_RUN_HEADER = "x-quintet-dry-run";

/** What a dry run answers beside an empty message, when the call would be let in and its input keeps the rules of its proto. */
export const DRY_RUN_HEADERS: ResponseHeaders = {
  [DRY_RUN_HEADER]: "admitted",
  // The answer to the call itself may have the same URL.
  "cache-control": "no-store",
};

/** The `message` of REST's envelope then. */
export const DRY_RUN_MESSAGE =
  "Dry run: the call would be admitted, and its input keeps the rules of the contract. It was not made.";

/** Whether the request is a dry run, or what is wrong with its header. */
export function dryRunOf({ headers }: Pick<Exchange, "headers">, { accessCheck, fullName }: Method): boolean | Problem {
  const given = headers[DRY_RUN_HEADER];
  if (given === undefined || given === "false") {
    return false;
  }
  if (given !== "true") {
    return malformed(`The ${DRY_RUN_HEADER} header must be true or false.`);
  }
  return accessCheck.takesDryRuns === true || malformed(`${fullName} has no dry run; leave the ${DRY_RUN_HEADER} header out.`);
}

const malformed = (message: string): Problem => ({ reason: "MALFORMED_REQUEST", message });
