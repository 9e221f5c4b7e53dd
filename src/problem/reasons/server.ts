// Reasons from the server: it cannot accept a call at the moment.
import { Code } from "@connectrpc/connect";
import { ALL_OPERATIONS, type ReasonRules } from "../reason-rule.ts";

/** The entries of the table. */
export const SERVER_REASONS = {
  SERVER_BUSY: {
    code: Code.Unavailable,
    httpStatus: 503,
    fault: "server",
    retry: true,
    temporary: true,
    when: "The server's memory for request bodies, or for incomplete requests, is full at the moment.",
    whatToDo: "Try again after `Retry-After`.",
    operations: ALL_OPERATIONS,
  },
  SHUTTING_DOWN: {
    code: Code.Unavailable,
    httpStatus: 503,
    fault: "server",
    retry: true,
    when: "The server is stopping.",
    whatToDo: "Try again; another server, or the restarted one, will respond.",
    operations: ALL_OPERATIONS,
  },
} as const satisfies ReasonRules;
