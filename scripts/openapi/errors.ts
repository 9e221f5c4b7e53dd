// The error responses of the REST operations, with an example for each reason, written by the server's own code: one for each status that
// callers tell apart, and one for all the others of its range.

import { isDeepStrictEqual } from "node:util";
import { writeProblem } from "../../src/gateway/rest/problem-envelope.ts";
import type { Problem } from "../../src/problem/problem.ts";
import { REASONS, type Reason } from "../../src/problem/reason.ts";
import type { Access, OperationsOf } from "../../src/problem/reason-rule.ts";
import { exampleOf, NOW_MS } from "./examples.ts";
import type { Schema } from "./json-schema.ts";

const REQUEST_ID = "5b0c3a2e-7f0e-4a51-9b7c-0d6f5a3e9c11";
const NAMES = Object.keys(REASONS) as Reason[];

/** What the error responses of an operation depend on. */
export interface Failing {
  readonly access: Access;
  readonly isGet: boolean;
  /** Whether its path names something that may not exist. */
  readonly namesSomething: boolean;
  /** The comments of the method and its service. */
  readonly comments: string;
}

function isOneOf({ access, kind }: OperationsOf, operation: Failing, reason: Reason): boolean {
  const isOfKind = { all: true, get: operation.isGet, path: operation.namesSomething, named: operation.comments.includes(reason) };
  return access.includes(operation.access) && isOfKind[kind ?? "all"];
}

const PREFIXES: Readonly<Record<Access, string>> = {
  key: "",
  session: "Account",
  nothing: "SignIn",
  public: "Public",
  operator: "Operator",
};

const statusOf = ({ reason }: Problem): number => REASONS[reason].httpStatus;

const bodyOf = (problem: Problem): Schema => JSON.parse(writeProblem(problem, { nowMs: NOW_MS, requestId: REQUEST_ID }).body);

// How the client writes requests, and what only the operator can mend: nearly every operation can end so. Each would be a tenth of it.
const STATUSES_OF_RANGES = new Set([406, 408, 411, 413, 414, 415, 431, 500, 504]);

/** The key of a problem's response: its status, such as `404`, or the range that stands for it, such as `4XX`. */
function keyOf(problem: Problem): string {
  const status = statusOf(problem);
  return STATUSES_OF_RANGES.has(status) ? `${Math.floor(status / 100)}XX` : String(status);
}

const keysOf = (problems: readonly Problem[]): readonly string[] => [...new Set(problems.map(keyOf))].toSorted();

/** The reasons that callers with this access can get, in the order of the table. */
export const problemsOf = (access: Access): readonly Problem[] =>
  NAMES.filter((reason) => REASONS[reason].operations.some((some) => some.access.includes(access))).map((reason) =>
    exampleOf(reason, access),
  );

const problemsWith = (access: Access, key: string): readonly Problem[] =>
  problemsOf(access).filter((problem) => keyOf(problem) === key);

// Reasons that several kinds of callers can get in the same way are listed once.
function nameOf(access: Access, key: string): string {
  const own = problemsWith(access, key);
  const first = (Object.keys(PREFIXES) as Access[]).find((other) => isDeepStrictEqual(problemsWith(other, key), own)) ?? access;
  return `${PREFIXES[first]}Error${key}`;
}

/** The responses for callers with these kinds of access, by their names, for `components.responses`. */
export const errorResponses = (accesses: readonly Access[]): Record<string, Schema> =>
  Object.fromEntries(
    accesses.flatMap((access) =>
      keysOf(problemsOf(access)).map((key) => [nameOf(access, key), errorResponse(problemsWith(access, key))]),
    ),
  );

function errorResponse(problems: readonly Problem[]): Schema {
  return {
    description: problems.map(({ reason, message }) => `\`${reason}\`: ${message}`).join("\n\n"),
    ...(problems.some(({ reason }) => REASONS[reason].retry) && {
      headers: { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } },
    }),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: Object.fromEntries(problems.map((problem) => [problem.reason, { value: bodyOf(problem) }])),
      },
    },
  };
}

/** The reasons that an operation can end in. */
export const reasonsOf = (operation: Failing): readonly Reason[] =>
  NAMES.filter((reason) => REASONS[reason].operations.some((some) => isOneOf(some, operation, reason)));

/** Status or range → a reference to the response, for the errors that an operation can end in. */
export function errorsOf(operation: Failing): Record<string, Schema> {
  const problems = reasonsOf(operation).map((reason) => exampleOf(reason, operation.access));
  return Object.fromEntries(
    keysOf(problems).map((key) => [key, { $ref: `#/components/responses/${nameOf(operation.access, key)}` }]),
  );
}

/** Throws if a reason applies only to operations whose comments name it, and no comment does. */
export function requireNamed(access: Access, comments: string): void {
  for (const reason of NAMES) {
    const isOfNamed = REASONS[reason].operations.some((some) => some.kind === "named" && some.access.includes(access));
    if (isOfNamed && !comments.includes(reason)) {
      throw new Error(`No operation can end with ${reason}: name it in the proto, in the comments of the methods that can.`);
    }
  }
}

export const errorSchema: Schema = {
  type: "object",
  description: "Every failure has this form, including those of the transport.",
  required: ["data", "meta", "status", "message", "success", "error"],
  properties: {
    // Generators have no type that contains nothing but null.
    data: { type: ["object", "null"], maxProperties: 0, description: "Always null." },
    meta: { $ref: "#/components/schemas/Meta" },
    status: { type: "string", const: "error" },
    message: { type: "string", description: "A sentence that a person can act on." },
    // Without `const`: the Python client of openapi-generator compares it with the text "false".
    success: { type: "boolean", description: "False." },
    error: {
      type: "object",
      required: ["reason", "code", "details"],
      properties: {
        reason: {
          type: "string",
          description: "The reason, for programs. New ones may be added: treat one that you do not know by its `code`.",
          examples: Object.keys(REASONS),
        },
        code: { type: "string", description: "The canonical RPC code's name, upper case." },
        details: {
          type: "array",
          description: "google.rpc messages: ErrorInfo first, then BadRequest, QuotaFailure or RetryInfo if they apply.",
          items: { type: "object", required: ["@type"], properties: { "@type": { type: "string" } }, additionalProperties: true },
        },
      },
    },
  },
};
