// What a page shows and does about a call that failed.
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../../../gen/google/rpc/error_details_pb.js";
import { type ApiProblem, problemOf } from "../../../portal/api/problem.ts";

const refusal = (message: string, code: Code, reason: string, retryAfterMs?: number): ConnectError =>
  new ConnectError(message, code, undefined, [
    { desc: ErrorInfoSchema, value: { reason, domain: "quintet.example" } },
    ...(retryAfterMs === undefined
      ? []
      : [
          {
            desc: RetryInfoSchema,
            value: {
              retryDelay: { seconds: BigInt(Math.floor(retryAfterMs / 1000)), nanos: (retryAfterMs % 1000) * 1_000_000 },
            },
          },
        ]),
  ]);

const NOTHING = {
  service: undefined,
  plan: undefined,
  fields: {},
  retryAfterMs: undefined,
  isSessionLost: false,
  isTransient: false,
};
const UNREACHABLE = "The server cannot be reached. Check your connection and try again.";

test.each<{ what: string; error: unknown; problem: Partial<ApiProblem> }>([
  {
    what: "a refusal with a reason",
    error: refusal("there is no such plan", Code.NotFound, "NOT_FOUND"),
    problem: { message: "There is no such plan.", reason: "NOT_FOUND" },
  },
  {
    what: "a message that ends with a punctuation mark",
    error: refusal("Why?", Code.NotFound, "NOT_FOUND"),
    problem: { message: "Why?", reason: "NOT_FOUND" },
  },
  {
    what: "a refusal that passes soon",
    error: refusal("Too fast.", Code.ResourceExhausted, "RATE_LIMITED", 3000),
    problem: { message: "Too fast.", reason: "RATE_LIMITED", retryAfterMs: 3000, isTransient: true },
  },
  {
    what: "a refusal that lasts longer than a reader waits",
    error: refusal("Too fast.", Code.ResourceExhausted, "RATE_LIMITED", 3001),
    problem: { message: "Too fast.", reason: "RATE_LIMITED", retryAfterMs: 3001 },
  },
  {
    what: "a session that has ended",
    error: refusal("Sign in again.", Code.Unauthenticated, "SESSION_INVALID"),
    problem: { message: "Sign in again.", reason: "SESSION_INVALID", isSessionLost: true },
  },
  {
    what: "no session",
    error: refusal("Sign in.", Code.Unauthenticated, "SESSION_MISSING"),
    problem: { message: "Sign in.", reason: "SESSION_MISSING", isSessionLost: true },
  },
  {
    what: "a response from something between the page and the server",
    error: new ConnectError("Bad Gateway", Code.Unavailable),
    problem: { message: UNREACHABLE, reason: undefined, isTransient: true },
  },
  {
    what: "no response",
    error: new TypeError("Failed to fetch"),
    problem: { message: UNREACHABLE, reason: undefined, isTransient: true },
  },
  {
    what: "a call that the page has cancelled",
    error: new ConnectError("left", Code.Canceled),
    problem: { message: UNREACHABLE, reason: undefined },
  },
])("$what", ({ error, problem }) => {
  expect(problemOf(error)).toEqual({ ...NOTHING, ...problem });
});

test("invalid fields have the proto's names, each with a description of the error", () => {
  const error = new ConnectError("2 fields are wrong", Code.InvalidArgument, undefined, [
    { desc: ErrorInfoSchema, value: { reason: "INVALID_ARGUMENT", domain: "quintet.example" } },
    {
      desc: BadRequestSchema,
      value: {
        fieldViolations: [
          { field: "email", description: "is required" },
          { field: "new_password", description: "must have at least 12 characters" },
        ],
      },
    },
  ]);
  expect(problemOf(error)).toEqual({
    ...NOTHING,
    message: "2 fields are wrong.",
    reason: "INVALID_ARGUMENT",
    fields: { email: "is required", new_password: "must have at least 12 characters" },
  });
});
