// The error answers of the REST operations: one for each status, with an example for each reason, written by the server's own code.

import { writeProblem } from "../../src/gateway/rest/respond.ts";
import type { Problem } from "../../src/problem/problem.ts";
import { REASONS, type Reason } from "../../src/problem/reason.ts";
import type { Access } from "./access.ts";
import { EXAMPLES, EXAMPLES_OF_ALL, NOW_MS } from "./examples.ts";
import type { Schema } from "./schema.ts";

const REQUEST_ID = "5b0c3a2e-7f0e-4a51-9b7c-0d6f5a3e9c11";

/** What the error answers of an operation depend on. */
export interface Failing {
  readonly access: Access;
  readonly isGet: boolean;
  /** Whether its path names something, which may not be there. */
  readonly namesSomething: boolean;
  /** The comments of the method and its service. */
  readonly comments: string;
}

type Condition = (operation: Failing, reason: Reason) => boolean;

const isNamed: Condition = ({ comments }, reason) => comments.includes(reason);

/** Those that not every operation can meet whose callers can. */
const SOMEWHERE: Partial<Record<Reason, Condition>> = {
  PLAN_LIMIT: isNamed,
  UPSTREAM_FAILED: isNamed,
  SIGN_IN_FAILED: isNamed,
  FAILED_PRECONDITION: isNamed,
  NOT_FOUND: (operation, reason) => (operation.access === "key" ? isNamed(operation, reason) : operation.namesSomething),
  LENGTH_REQUIRED: ({ isGet }) => isGet,
};

const PREFIXES: Readonly<Record<Access, string>> = {
  key: "",
  session: "Account",
  operator: "Operator",
  nothing: "SignIn",
  public: "Public",
};

const statusOf = ({ reason }: Problem): number => REASONS[reason].httpStatus;

const bodyOf = (problem: Problem): Schema => JSON.parse(writeProblem(problem, { nowMs: NOW_MS, requestId: REQUEST_ID }).body);

const statusesOf = (problems: readonly Problem[]): readonly number[] => [...new Set(problems.map(statusOf))].toSorted();

// An answer that all callers can meet in the same way is there once.
function nameOf(access: Access, status: number): string {
  const isOwn = EXAMPLES[access].some((problem) => statusOf(problem) === status);
  return `${isOwn ? PREFIXES[access] : ""}Error${status}`;
}

// A reason without an example would be left out of the document without a word.
function requireExamples(problems: readonly Problem[]): void {
  const shown = new Set(problems.map(({ reason }) => reason));
  for (const [reason, { documented = true }] of Object.entries(REASONS)) {
    if (documented !== shown.has(reason as Reason)) {
      throw new Error(
        documented
          ? `${reason} has no example: add one to scripts/openapi/examples.ts, or say "documented: false" in src/problem/reason.ts.`
          : `${reason} has an example in scripts/openapi/examples.ts, and says "documented: false" in src/problem/reason.ts.`,
      );
    }
  }
}

/** The answers of these accesses by their names, for `components.responses`. Throws when a reason lacks its example. */
export function errorResponses(accesses: readonly Access[]): Record<string, Schema> {
  requireExamples([...Object.values(EXAMPLES).flat(), ...EXAMPLES_OF_ALL]);
  return Object.fromEntries(
    accesses.flatMap((access) => {
      const problems = [...EXAMPLES[access], ...EXAMPLES_OF_ALL];
      return statusesOf(problems).map((status) => [
        nameOf(access, status),
        errorResponse(problems.filter((problem) => statusOf(problem) === status)),
      ]);
    }),
  );
}

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

/** Status → a reference to the answer, for the errors that an operation can end in. */
export function errorsOf(operation: Failing): Record<string, Schema> {
  const problems = [...EXAMPLES[operation.access], ...EXAMPLES_OF_ALL].filter(
    ({ reason }) => SOMEWHERE[reason]?.(operation, reason) ?? true,
  );
  return Object.fromEntries(
    statusesOf(problems).map((status) => [status, { $ref: `#/components/responses/${nameOf(operation.access, status)}` }]),
  );
}

/** The error envelope. */
export const errorSchema: Schema = {
  type: "object",
  description: "Every failure has this shape, those of the transport included.",
  required: ["data", "meta", "status", "message", "success", "error"],
  properties: {
    data: { type: "null" },
    meta: { $ref: "#/components/schemas/Meta" },
    status: { const: "error" },
    message: { type: "string", description: "A sentence that a person can act on." },
    success: { const: false },
    error: {
      type: "object",
      required: ["reason", "code", "details"],
      properties: {
        reason: {
          type: "string",
          description: "A word from the closed table of reasons, for programs.",
          enum: Object.keys(REASONS),
        },
        code: { type: "string", description: "The canonical RPC code's name, upper case." },
        details: {
          type: "array",
          description: "google.rpc messages: ErrorInfo first, then BadRequest, QuotaFailure or RetryInfo where they apply.",
          items: { type: "object", required: ["@type"], properties: { "@type": { type: "string" } }, additionalProperties: true },
        },
      },
    },
  },
};
