// Reasons from a service, or given on its behalf: how an admitted call ended.
import { Code } from "@connectrpc/connect";
import { ALL_OPERATIONS, NO_OPERATION, type ReasonRules } from "../reason-rule.ts";

/** The entries of the table. */
export const SERVICE_REASONS = {
  INVALID_ARGUMENT: {
    code: Code.InvalidArgument,
    httpStatus: 400,
    fault: "input",
    charged: true,
    when: "The input is wrong; each wrong field is named.",
    whatToDo: "Correct the fields. A retry fails the same way.",
    operations: ALL_OPERATIONS,
  },
  NOT_FOUND: {
    code: Code.NotFound,
    httpStatus: 404,
    fault: "input",
    charged: true,
    when: "There is no such station, token, list, key or subscription.",
    whatToDo: "Check the ID.",
    example: "The radio directory has no station with the UUID 5b0c3a2e-7f0e-4a51-9b7c-0d6f5a3e9c11.",
    operations: [
      { access: ["key", "session"], kind: "named" },
      { access: ["session", "operator"], kind: "path" },
    ],
  },
  UPSTREAM_FAILED: {
    code: Code.Unavailable,
    httpStatus: 502,
    fault: "upstream",
    temporary: true,
    when: "No data source gave a usable response.",
    whatToDo: "Try again a little later.",
    example: "The radio directory gave no usable response; the call was not counted.",
    operations: [{ access: ["key"], kind: "named" }],
  },
  DEADLINE_EXCEEDED: {
    code: Code.DeadlineExceeded,
    httpStatus: 504,
    fault: "server",
    temporary: true,
    when: "The call took longer than the caller's deadline or the server's.",
    whatToDo: "Try again, with a longer deadline if yours was short.",
    example: "The call took longer than its deadline of 30000 ms; it was not counted.",
    operations: ALL_OPERATIONS,
  },
  CANCELLED: {
    code: Code.Canceled,
    httpStatus: 499,
    fault: "request",
    charged: true,
    when: "The caller closed the connection or cancelled the call.",
    whatToDo: "Nothing, if that was on purpose.",
    operations: NO_OPERATION,
  },
  INTERNAL: {
    code: Code.Internal,
    httpStatus: 500,
    fault: "server",
    temporary: true,
    when: "Something went wrong on our side.",
    whatToDo: "Try again. If it persists, give the operator the `request_id`.",
    operations: ALL_OPERATIONS,
  },
} as const satisfies ReasonRules;
